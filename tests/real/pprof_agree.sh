#!/bin/bash
# time: 300
# needs: go gcc g++
# `go tool pprof` reads our files without a warning and says what `approf -compat=go1.19` says, line for line; also without
# binutils, and with the program moved away. C, C++ (methods, templates) and inlined callees are named.
. "$(dirname "$0")/../lib.sh"

# Programs that are compiled here, since they are moved away later.
mkdir -p src bin
cp "$TOP"/tests/real/agree_c.c "$TOP"/tests/real/agree_cpp.cc src/
gcc -std=c17 -D_GNU_SOURCE -g -O0 -pthread -o bin/agree_c src/agree_c.c || fail "gcc"
g++ -std=c++17 -g -O2 -o bin/agree_cpp src/agree_cpp.cc || fail "g++"

profile() { # NAME RATE PROGRAM
    APPROF_OUT=$PWD/$1.pb.gz APPROF_RATE=$2 APPROF_SEED=11 preload "$3" >"$1.out" 2>"$1.err" || fail "$3: exit status $?"
    [ -s "$1.err" ] && bad "$1: on stderr: $(head -3 "$1.err")"
    [ -s "$1.pb.gz" ] || fail "$1: no profile"
}
profile c 1 bin/agree_c
profile c-sampled 4096 bin/agree_c
profile cpp 1 bin/agree_cpp
profile cpp-sampled 2048 bin/agree_cpp

pairs=0
# agree ARGS…   both tools, the same arguments but for -compat
agree() {
    pairs=$((pairs + 1))
    go_pprof "$@" >go.out 2>go.err
    local go_status=$?
    approf -compat=go1.19 "$@" >our.out 2>our.err
    local our_status=$?
    if [ "$go_status" -ne 0 ]; then
        bad "go tool pprof $*: exit $go_status: $(head -3 go.err)"
        return
    fi
    [ "$our_status" -eq 0 ] || bad "approf $*: exit $our_status: $(head -3 our.err)"
    [ -s go.out ] || bad "go tool pprof $*: prints nothing"
    # Its own fixed words on stderr (none for these reports); a warning is any other.
    [ -s go.err ] && bad "go tool pprof $* warns: $(head -3 go.err)"
    [ -s our.err ] && bad "approf $* warns: $(head -3 our.err)"
    if ! cmp -s go.out our.out; then
        bad "$*: - go tool pprof, + approf"
        diff -U0 go.out our.out | tail -n +3 | head -16
    fi
}

all_reports() { # FILE FUNCTIONS
    local file=$1 functions=$2 type
    for type in alloc_objects alloc_space inuse_objects inuse_space; do
        agree -top -sample_index=$type "$file"
        agree -top -cum -sample_index=$type "$file"
    done
    agree -top "$file"
    agree -top -lines -alloc_space "$file"
    agree -top -addresses -alloc_space -nodecount=40 "$file"
    agree -top -files -alloc_space "$file"
    agree -top -filefunctions -alloc_space "$file"
    agree -top -noinlines -alloc_space "$file"
    agree -top -nodecount=5 -alloc_space "$file"
    agree -top "-focus=$functions" -alloc_space "$file"
    agree -top "-ignore=$functions" -alloc_space "$file"
    agree -top -unit=kB -alloc_space "$file"
    agree "-list=$functions" -alloc_space "$file"
    agree "-list=$functions" -inuse_objects "$file"
    agree "-list=^main$" -alloc_space "$file"
    agree -raw "$file"
}
for name in c c-sampled; do
    all_reports $name.pb.gz 'recurse|worker|compare'
done
for name in cpp cpp-sampled; do
    all_reports $name.pb.gz 'handle|put|make_reply'
done
for name in c cpp; do
    for how in -base -diff_base; do
        agree -top -alloc_space $how=$name-sampled.pb.gz $name.pb.gz
        agree -top -inuse_space -cum $how=$name-sampled.pb.gz $name.pb.gz
        agree '-list=main' -alloc_space $how=$name-sampled.pb.gz $name.pb.gz
    done
    agree -top -alloc_space $how=$name.pb.gz $name.pb.gz
done
agree -top -alloc_space c.pb.gz c-sampled.pb.gz

# --- names ---
"$PYTHON" "$TOP/tests/pprof_sum.py" --functions cpp.pb.gz >cpp.functions
# Names are given without parameters and template arguments, as pprof gives them; the linker's names tell overloads apart.
contains cpp.functions '^store::Session::handle$' "a method"
contains cpp.functions '^store::Session::make_reply$' "an inlined callee"
contains cpp.functions '^store::Table::put$' "a method of a template"
contains cpp.functions '^\(anonymous namespace\)::Hidden::operator\+$' "an operator in an anonymous namespace"
"$PYTHON" "$TOP/tests/pprof_sum.py" --system-names cpp.pb.gz >cpp.system-names
contains cpp.system-names '^_ZN5store7Session6handleEi$' "one overload"
contains cpp.system-names '^_ZN5store7Session6handleERKNSt7__cxx11' "the other overload"
contains cpp.system-names '^_ZN5store5TableIi.*E3putE' "one instance of a template"
contains cpp.functions '^main$' "main"
lacks cpp.functions '^_Z' "mangled names"
lacks cpp.functions '^$' "empty names"
go_pprof -top -cum -nodecount=200 -alloc_space cpp.pb.gz >go.out 2>/dev/null
contains go.out 'store::Session::handle' "go tool pprof names the methods"
contains go.out 'store::Session::make_reply \(inline\)' "go tool pprof names the inlined callee"
approf list 'store::Session::handle' -alloc_space cpp.pb.gz >list.out 2>list.err || bad "list: $(head -2 list.err)"
contains list.out 'replies.emplace_back\(make_reply\(400\)\)' "list shows the source"
"$PYTHON" "$TOP/tests/pprof_sum.py" --functions c.pb.gz >c.functions
for function in main worker recurse grow sorting compare; do
    contains c.functions "^$function\$" "a static function of C"
done
# 1500 replies of 400 bytes and 500 of 1050, by arithmetic.
equal "$(cum alloc_space store::Session::make_reply cpp.pb.gz)" $((1500 * 400 + 500 * 1050)) "bytes of the inlined callee"

# --- binutils off the PATH, and the programs moved away: nothing of what is printed changes ---
go_top() {
    go_pprof -top -cum -nodecount=100 -alloc_space "$1" 2>&1
    go_pprof '-list=main' -alloc_space "$1" 2>&1
}
for name in c cpp; do
    go_top $name.pb.gz >$name.before
    approf -compat=go1.19 -top -cum -nodecount=100 -alloc_space $name.pb.gz >$name.our.before
done
mkdir only
ln -s "$(readlink -f "$(command -v go)")" only/go
for tool in bash env cat mkdir; do ln -s "$(command -v $tool)" only/$tool; done
goroot=$(go env GOROOT)
for name in c cpp; do
    PATH=$PWD/only GOROOT=$goroot go_top $name.pb.gz >$name.after
    same $name.before $name.after "$name: without binutils"
    PATH=$PWD/only approf -compat=go1.19 -top -cum -nodecount=100 -alloc_space $name.pb.gz >$name.our.after
    same $name.our.before $name.our.after "$name: approf without binutils"
done
mv bin moved
for name in c cpp; do
    go_top $name.pb.gz >$name.after
    same $name.before $name.after "$name: with the program moved away"
    approf -compat=go1.19 -top -cum -nodecount=100 -alloc_space $name.pb.gz >$name.our.after 2>$name.our.err
    same $name.our.before $name.our.after "$name: approf with the program moved away"
    agree -top -alloc_space $name.pb.gz
done
# Another program in its place must not be believed.
mkdir bin
cp /bin/true bin/agree_c
cp /bin/true bin/agree_cpp
for name in c cpp; do
    approf -compat=go1.19 -top -cum -nodecount=100 -alloc_space $name.pb.gz >$name.our.after 2>$name.our.err
    same $name.our.before $name.our.after "$name: approf with another program in its place"
done
echo "$pairs pairs compared"
