"""The profilers that are compared, and the allocators beneath them: as a module.

A tool is an environment, and where it must be a command in front. Its base is the same allocator without profiling: a profiler
is only ever compared with that.
"""
import os
import shutil
import subprocess

GO_RATE = "524288"


class Tool:
    """name; base: name of the tool that it is compared with; kind: base, shim, sampler or all."""

    def __init__(self, name, base, kind, env=None, command=(), missing=""):
        self.name, self.base, self.kind = name, base, kind
        self.env, self.command, self.missing = env or {}, list(command), missing
        self.language = "go" if name.startswith("Go") else "native"


def library(name):
    """Path of a library that the loader knows, empty for none."""
    done = subprocess.run(["/sbin/ldconfig", "-p"], stdout=subprocess.PIPE, check=False)
    for line in done.stdout.decode(errors="replace").splitlines():
        words = line.split()
        if words and words[0] == name and "x86-64" in line:
            return words[-1]
    return ""


def plain_environment():
    """The caller's, without what steers an allocator or a profiler."""
    prefixes = ("APPROF_", "MALLOC_", "TCMALLOC_", "HEAPPROFILE", "HEAP_PROFILE", "LD_", "GODEBUG", "GLIBC_TUNABLES", "GOGC",
                "GOMAXPROCS", "GOMEMLIMIT", "PYTHON")
    return {k: v for k, v in os.environ.items() if not k.startswith(prefixes)} | {"LC_ALL": "C", "TZ": "UTC"}


def all_tools(build, temp):
    """Every tool, present or not; TEMP is where they may write, and what is emptied after each run."""
    ours = os.path.join(build, "libapprof.so")
    jemalloc, tcmalloc = library("libjemalloc.so.2"), library("libtcmalloc.so.4")
    heaptrack = "/usr/lib/heaptrack/libheaptrack_preload.so"
    no_jemalloc = "" if jemalloc else "libjemalloc2 is not installed"
    no_tcmalloc = "" if tcmalloc else "libgoogle-perftools4 is not installed"
    no_heaptrack = "" if os.path.exists(heaptrack) else "heaptrack is not installed"
    no_valgrind = "" if shutil.which("valgrind") else "valgrind is not installed"
    no_go = "" if shutil.which("go") else "golang-go is not installed"
    if jemalloc and not jemalloc_profiles(jemalloc):
        no_profiling = "this jemalloc was built without --enable-prof"
    else:
        no_profiling = no_jemalloc
    # Lines and inlined frames are left to the reader, as all the others do.
    mine = {"APPROF_SYMBOLIZE": "0", "APPROF_OUT": os.path.join(temp, "%e.%p.pb.gz"), "APPROF_TABLES": temp}
    profiled = {"MALLOC_CONF": "prof:true,lg_prof_sample:19"}
    return [
        Tool("glibc", None, "base"),
        Tool("bare shim", "glibc", "shim", {"LD_PRELOAD": os.path.join(build, "bench", "bare_shim.so")}),
        Tool("approf", "glibc", "sampler", {"LD_PRELOAD": ours} | mine),
        Tool("jemalloc", None, "base", {"LD_PRELOAD": jemalloc}, missing=no_jemalloc),
        Tool("jemalloc prof", "jemalloc", "sampler", {"LD_PRELOAD": jemalloc} | profiled, missing=no_profiling),
        Tool("approf over jemalloc", "jemalloc", "sampler", {"LD_PRELOAD": f"{ours}:{jemalloc}"} | mine, missing=no_jemalloc),
        Tool("tcmalloc", None, "base", {"LD_PRELOAD": tcmalloc}, missing=no_tcmalloc),
        Tool("tcmalloc sampler", "tcmalloc", "sampler", {"LD_PRELOAD": tcmalloc, "TCMALLOC_SAMPLE_PARAMETER": "524288"},
             missing=no_tcmalloc),
        Tool("approf over tcmalloc", "tcmalloc", "sampler", {"LD_PRELOAD": f"{ours}:{tcmalloc}"} | mine, missing=no_tcmalloc),
        Tool("Go", None, "base", missing=no_go),
        Tool("Go MemProfile", "Go", "sampler", missing=no_go),
        Tool("approf RATE=1", "glibc", "all", {"LD_PRELOAD": ours, "APPROF_RATE": "1"} | mine),
        Tool("HEAPPROFILE", "tcmalloc", "all", {"LD_PRELOAD": tcmalloc, "HEAPPROFILE": os.path.join(temp, "heapprofile")},
             missing=no_tcmalloc),
        # As it is used, with the process that interprets and compresses what it writes; and the program by itself.
        Tool("heaptrack", "glibc", "all", command=["heaptrack", "-o", os.path.join(temp, "heaptrack")], missing=no_heaptrack),
        Tool("heaptrack, program alone", "glibc", "all",
             {"LD_PRELOAD": heaptrack, "DUMP_HEAPTRACK_OUTPUT": os.path.join(temp, "heaptrack.$$")}, missing=no_heaptrack),
        Tool("DHAT", "glibc", "all",
             command=["valgrind", "-q", "--tool=dhat", "--trace-children=yes", "--dhat-out-file=" + os.path.join(temp, "dhat.%p")],
             missing=no_valgrind),
    ]


def jemalloc_profiles(path):
    """Whether this jemalloc can profile: one that cannot says so of the option."""
    env = plain_environment() | {"LD_PRELOAD": path, "MALLOC_CONF": "prof:true"}
    done = subprocess.run(["true"], env=env, stderr=subprocess.PIPE, check=False)
    return b"prof" not in done.stderr
