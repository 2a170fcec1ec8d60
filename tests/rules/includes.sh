#!/bin/bash
# time: 300
# quick
# The folders' borders (docs/ARCHITECTURE.md): who may include whom, what the library brings into a process and
# takes there, and the shape of the sources.
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

# Includes of our own files, by the folder that the included file lies in.
"$PYTHON" - <<'PY' || bad "includes (above)"
import glob, os, re, sys
allowed = {"include": {"include"}, "proto": {"include", "proto"}, "interpose": {"include", "proto", "interpose"},
           "cli": {"include", "proto", "cli"}, "demo-targets": {"demo-targets"}}
home, wrong = {}, 0
files = [f for folder in allowed for f in glob.glob(folder + "/**/*.[chS]", recursive=True)]
for file in files:
    home.setdefault(os.path.basename(file), set()).add(file.split("/")[0])
for file in files:
    for name in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', open(file).read(), re.M):
        for folder in home.get(os.path.basename(name), ()):
            if folder not in allowed[file.split("/")[0]]:
                print(f"{file} includes {folder}/{name}")
                wrong = 1
sys.exit(wrong or not files)
PY

# What comes with the library: libc, the loader, the kernel's page.
ldd "$APPROF_LIB" >"$TEST_TMP/ldd" || bad "ldd failed"
if grep -vE '^[[:space:]]*(linux-vdso\.so|libc\.so\.6|/lib64/ld-linux-x86-64\.so|/lib/ld-linux)' "$TEST_TMP/ldd"; then
    bad "libapprof.so depends on more than libc"
fi

# What it takes: nothing but what exports.map names, and that is the allocation functions, the public API and
# the few that are watched.
nm -D --defined-only "$APPROF_LIB" | awk '{ print $3 }' | sed 's/@.*//' | sort -u >"$TEST_TMP/exported"
families='malloc|free|calloc|realloc|reallocarray|memalign|aligned_alloc|posix_memalign|valloc|pvalloc|cfree'
families="$families|free_sized|free_aligned_sized"
families="$families|(mallocx|rallocx|xallocx|sallocx|dallocx|sdallocx|nallocx)"
families="$families|(tc|mi|je)_[a-z0-9_]+"
operators='_Zn[wa][mj].*|_Zd[la]Pv.*'
watched='_exit|_Exit|quick_exit|prctl|syscall'
api='approf_[a-z0-9_]+'
if grep -vxE "$families|$operators|$watched|$api" "$TEST_TMP/exported"; then
    bad "libapprof.so exports what it must not (listed above)"
fi
grep -qx malloc "$TEST_TMP/exported" || bad "libapprof.so does not export malloc"

# Full RELRO, no text relocations, no executable stack.
readelf -dW "$APPROF_LIB" >"$TEST_TMP/dynamic"
grep -q 'BIND_NOW\|FLAGS_1.*NOW' "$TEST_TMP/dynamic" || bad "libapprof.so is not linked with -z now"
grep -q TEXTREL "$TEST_TMP/dynamic" && bad "libapprof.so has text relocations"
readelf -lW "$APPROF_LIB" | grep GNU_STACK | has RWE && bad "libapprof.so asks for an executable stack"
# 64 bytes of thread-local storage at most: a library that is loaded late finds no more than that for certain.
tls=$(readelf -lW "$APPROF_LIB" | awk '$1 == "TLS" { print $6 }')
tls=$((${tls:-0}))
[ "$tls" -le 64 ] || bad "libapprof.so needs $tls bytes of static TLS"

# Sources: names unique in the tree, a file no longer than one idea needs, one format.
sources=$(git ls-files -co --exclude-standard -- 'include/*.[ch]' 'proto/*.[chS]' 'interpose/*.[chS]' 'cli/*.[ch]' \
    'demo-targets/**.[ch]' 'tests/**.[ch]' 'bench/**.[ch]' 2>/dev/null)
[ -n "$sources" ] || sources=$(find include proto interpose cli demo-targets tests bench -name '*.[chS]' 2>/dev/null)
# Stages and buggy/fixed pairs of one target share names on purpose: there the folder tells them apart.
for name in $(printf '%s\n' $sources | grep -v '^demo-targets/' | xargs -n1 basename | sort | uniq -d); do
    bad "two files are called $name: $(printf '%s\n' $sources | grep "/$name\$" | tr '\n' ' ')"
done
for file in $sources; do
    lines=$(wc -l <"$file")
    [ "$lines" -le 650 ] || bad "$file has $lines lines: split it by idea (about 500)"
done
git grep -lE '/(work|tmp/w)/' -- ':!tests/rules/includes.sh' 2>/dev/null && bad "files that name places of one machine (above)"

formatter=$(command -v clang-format-14 || command -v clang-format || true)
if [ -n "$formatter" ] && "$formatter" --version | has 'version 14'; then
    # Lists that macros are made from (*_list.h) have one entry a line, however long.
    printf '%s\n' $sources | grep -vE '\.S$|_list\.h$' | xargs "$formatter" --style=file --dry-run >/dev/null 2>"$TEST_TMP/format" || true
    sed -nE 's/^([^: ]+):[0-9]+:[0-9]+: (warning|error).*/\1/p' "$TEST_TMP/format" | sort | uniq -c >"$TEST_TMP/unformatted"
    while read -r places file; do
        bad "$file: not as clang-format has it, in $places places"
    done <"$TEST_TMP/unformatted"
else
    echo "clang-format 14 is not here: format not checked"
fi
