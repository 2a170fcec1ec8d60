#!/usr/bin/env python3
"""Finds tests and their target programs, and writes the make rules that build the compiled ones.

    tests/list-tests.py list            AREA/NAME, limit and marks of every test
    tests/list-tests.py rules [VARIANT] make rules for the compiled ones (included by tests/tests.mk)

Scripts (tests/AREA/NAME.sh, executable) carry their marks in comment lines of their own:

    # time: 120           seconds, against hangs only (default 60)
    # quick               part of `make check-quick`
    # needs: go gdb       commands (or paths) without which it is skipped
    # alone               not beside another test
    # variant: san ubsan  also under these builds (the default depends on the area, see below)

Compiled ones (tests/AREA/NAME.c or .cc) carry one comment among their first 30 lines, of one line or more:

    /* test: link=proto cflags=-O1,-pthread libs=-lm time=120 quick alone variant=san */
    /* target: cflags=-O0 libs=-ljemalloc */        built, for scripts to run, but no test itself
    /* library: ... */                              the same, built as NAME.so

link names what it is built with: `proto` (libproto.a and what that needs), `cli` (every object of
approf but main), `walker` (the stack walker alone, which wants tests/walker/walker_stubs.h),
`tables` (the writing side of the tables alone, which wants tests/tables/tables_world.h), or
single sources such as `interpose/weight.c`. Lists are separated by commas. Other sources (Go, Rust,
plain .c without such a comment) are the business of the scripts.
"""

import glob
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Which builds an area's tests run under besides the plain one, unless a test says otherwise. `san` has
# AddressSanitizer and UBSan in approf and in compiled tests; `ubsan` traps on undefined behaviour and
# needs no runtime, so it can be preloaded.
AREA_VARIANTS = {
    "cli": ["san"],
    "proto": ["san"],
    "parity": ["san"],
    "live": ["san"],
    "tables": ["san"],
    "hooks": ["ubsan"],
    "sampler": ["ubsan"],
    "walker": ["ubsan"],
}


class Test:
    def __init__(self, path):
        self.path = path
        self.area = os.path.basename(os.path.dirname(path))
        base, self.ext = os.path.splitext(os.path.basename(path))
        self.name = f"{self.area}/{base}"
        self.is_test = False
        self.kind = ""
        self.limit = 60
        self.quick = False
        self.alone = False
        self.needs = []
        self.link = []
        self.cflags = []
        self.libs = []
        self.variants = list(AREA_VARIANTS.get(self.area, []))

    def program(self, build):
        return self.path if self.ext == ".sh" else os.path.join(build, "tests", self.name)

    def mark(self, key, value):
        words = [w for w in re.split(r"[,\s]+", value) if w]
        if key == "time":
            self.limit = int(words[0])
        elif key == "quick":
            self.quick = True
        elif key == "alone":
            self.alone = True
        elif key == "needs":
            self.needs = words
        elif key == "variant":
            self.variants = [w for w in words if w not in ("none", "no")]
        elif key in ("link", "cflags", "libs"):
            getattr(self, key).extend(words)
        else:
            return False
        return True


def read_script(path):
    test = Test(path)
    test.kind = "script"
    test.is_test = True
    with open(path, errors="replace") as f:
        for line in f.read().splitlines()[1:40]:
            match = re.match(r"#\s*(time|quick|needs|alone|variant)\s*(?::\s*(.*))?$", line)
            if match:
                test.mark(match.group(1), match.group(2) or "")
    return test


def read_source(path):
    with open(path, errors="replace") as f:
        head = "\n".join(f.read().splitlines()[:30])
    # In a /* comment */, which may run over several lines, or after // on one.
    match = re.search(r"/\*\s*(test|target|library):(.*?)\*/", head, re.S) or \
        re.search(r"//\s*(test|target|library):(.*)", head)
    if not match:
        return None
    test = Test(path)
    test.kind = match.group(1)
    test.is_test = test.kind == "test"
    for word in match.group(2).replace("\n *", " ").split():
        key, _, value = word.partition("=")
        if not test.mark(key, value):
            sys.exit(f"approf: {os.path.relpath(path, TOP)}: unknown mark '{word}'\n"
                     "hint: see tests/README.md for the marks of a test")
    return test


def find():
    tests = []
    for path in sorted(glob.glob(os.path.join(TOP, "tests", "*", "*"))):
        ext = os.path.splitext(path)[1]
        test = None
        if ext == ".sh" and os.access(path, os.X_OK):
            test = read_script(path)
        elif ext in (".c", ".cc"):
            test = read_source(path)
        if test:
            tests.append(test)
    return tests


def rules(variant):
    print("# made by tests/list-tests.py")
    for test in find():
        if test.kind == "script":
            continue
        # What is not run under a variant is not built for it. Targets that link nothing of ours are the same everywhere.
        if variant and variant not in test.variants and (test.is_test or test.link):
            continue
        source = os.path.relpath(test.path, TOP)
        out = f"$(BUILD)/tests/{test.name}" + (".so" if test.kind == "library" else "")
        compiler = "$(TEST_CC)" if test.ext == ".c" else "$(TEST_CXX)"
        # Targets meet the preload, and a sanitizer's runtime would not stand that. One that holds objects of ours
        # doesn't, and these are instrumented already.
        san = "$(SAN) " if test.is_test or test.link else ""
        include, objects, libs = [], [], []
        for item in test.link:
            if item == "proto":
                include += ["-Iproto", "-I$(BUILD)/proto"]
                objects += ["$(BUILD)/libproto.a"]
                libs += ["-lprotobuf-c", "-lz"]
            elif item == "cli":
                include += ["-Iproto", "-I$(BUILD)/proto", "-Icli"]
                objects += ["$(filter-out $(BUILD)/cli/main.o,$(CLI_OBJ))", "$(BUILD)/libproto.a"]
                libs += ["$(CLI_LIBS)"]
            elif item == "walker":
                include += ["-Iproto", "-Iinterpose"]
                objects += ["$(WALKER_OBJ)"]
                libs += ["-ldl"]
            elif item == "tables":
                include += ["-Iproto", "-Iinterpose"]
                objects += ["$(TABLES_OBJ)"]
            else:
                folder = item.split("/")[0]
                include += ["-Iproto", "-I$(BUILD)/proto", f"-I{folder}"]
                objects += [f"$(BUILD)/{os.path.splitext(item)[0]}.o"]
        # A file named twice on the line would be linked twice.
        include = list(dict.fromkeys(include))
        objects = list(dict.fromkeys(o for o in objects if o != "$(BUILD)/libproto.a"))
        if "proto" in test.link or "cli" in test.link:
            objects.append("$(BUILD)/libproto.a")
        shared = "-shared " if test.kind == "library" else ""
        print(f"{'TEST_PROGRAMS' if test.is_test else 'TEST_TARGETS'} += {out}")
        print(f"{out}: {source} {' '.join(objects)}")
        print("\t@mkdir -p $(@D)")
        print(f"\t{compiler} {san}-MMD -MP -MF $@.d {' '.join(include)} {' '.join(test.cflags)} {shared}-o $@ $< "
              f"{' '.join(objects)} {' '.join(test.libs)} {' '.join(libs)}")


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else "list"
    if what == "rules":
        rules(sys.argv[2] if len(sys.argv) > 2 else "")
    elif what == "list":
        for test in find():
            if test.is_test:
                marks = [f"{test.limit} s"] + ["quick"] * test.quick + ["alone"] * test.alone
                marks += [f"+{v}" for v in test.variants] + [f"needs {n}" for n in test.needs]
                print(f"{test.name:40} {', '.join(marks)}")
    else:
        sys.exit("usage: list-tests.py list|rules")


if __name__ == "__main__":
    main()
