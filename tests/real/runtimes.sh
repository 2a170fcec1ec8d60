#!/bin/bash
# time: 300
# needs: gcc python3
# Other runtimes: Rust, Go with cgo, Java, Node, Python with threads; programs with an allocator of their own inside, static ones
# and musl's. (Sanitizers': hooks/sanitizers.) Each does the same under the preload as without, and is profiled, with the share of its memory
# that was seen where its allocator goes round us, or is refused by `approf run`, in words.
# (pitfalls: allocators that bypass malloc: silence)
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/real/real-lib.sh"
RATE=16384
here() { # NAME TOOL    says what is left out
    command -v "$2" >/dev/null && return 0
    echo "$1: no $2 here, left out"
    return 1
}
# What both has run: its profile by approf run, too, and what is seen of its memory.
profiled() { # NAME LEAST-BYTES COMMAND…
    local name=$1 least=$2 files got
    shift 2
    both "$name" "$@"
    files=("profiles/$name"/*.pb.gz)
    got=$(total alloc_space "${files[@]}")
    [ "$got" -ge "$least" ] || bad "$name: $got bytes seen, wanted $least"
    approf comments "${files[0]}" | grep '^# seen: ' || bad "$name: nothing says what share of its memory was seen"
    approf run -quiet -o "run.$name.pb.gz" -- "$@" >"$name.run.out" 2>"$name.run.err" </dev/null
    same "$name.plain.out" "$name.run.out" "$name: approf run"
    lacks "$name.run.err" '^approf: ' "$name: approf run"
}
refused() { # NAME WHY COMMAND…    and under a bare preload it runs as if there were none
    local name=$1 why=$2
    shift 2
    approf run -- "$@" >"$name.out" 2>"$name.err" && bad "$name: was not refused"
    contains "$name.err" "^approf: .*$why" "$name"
    contains "$name.err" "^hint: " "$name"
}

if here Rust rustc; then
    cat >r.rs <<'RS'
use std::collections::HashMap;
fn grow(n: usize) -> usize {
    let mut map: HashMap<String, Vec<u8>> = HashMap::new();
    for i in 0..n { map.insert(format!("key {}", i), vec![1u8; 500]); }
    map.values().map(|v| v.len()).sum()
}
fn main() {
    let threads: Vec<_> = (0..3).map(|i| std::thread::spawn(move || grow(2000 + i))).collect();
    let sums: Vec<usize> = threads.into_iter().map(|t| t.join().unwrap()).collect();
    println!("{:?}", sums);
    std::panic::set_hook(Box::new(|_| {})); // its message tells the thread's id
    let caught = std::panic::catch_unwind(|| { let _kept = vec![0u8; 100000]; panic!("on purpose"); });
    println!("{}", caught.is_err());
}
RS
    if rustc -g -O r.rs -o rust-program 2>rustc.err; then
        profiled rust 3000000 ./rust-program
        [ "$(cum alloc_space '.*grow.*' profiles/rust/*.pb.gz)" -ge 3000000 ] || bad "rust: grow is not seen"
    else
        echo "Rust: rustc does not work here, left out: $(head -2 rustc.err)"
    fi
fi

if here Go go; then
    mkdir cgo && cat >cgo/main.go <<'GO'
package main

// #include <stdlib.h>
// #include <string.h>
// static int fill(void) { int sum = 0; for (int i = 0; i < 2000; i++) { char *p = malloc(5000); memset(p, 1, 5000); sum += p[i]; if (i % 2) free(p); } return sum; }
import "C"
import ("fmt"; "io"; "os"; "sync")

func main() {
	var kept [][]byte
	for i := 0; i < 6000; i++ { b := make([]byte, 10000); b[i] = 1; for j := range b { b[j] = byte(j) }; kept = append(kept, b) }
	var wait sync.WaitGroup
	for i := 0; i < 4; i++ { wait.Add(1); go func() { C.fill(); wait.Done() }() }
	wait.Wait()
	fmt.Println(len(kept), C.fill())
	if len(os.Args) > 1 { f, _ := os.Open(os.Args[1]); io.ReadAll(f); fmt.Println(len(kept)) }
}
GO
    if (cd cgo && printf 'module m\ngo 1.19\n' >go.mod && HOME=$TEST_TMP GOTOOLCHAIN=local GOFLAGS=-mod=mod CGO_ENABLED=1 go build -o ../go-program . 2>../go.err); then
        # It ends by a system call of its own: what stays of it are its tables.
        ./go-program >go.plain
        APPROF_RATE=$RATE preload ./go-program >go.out 2>go.err
        same go.plain go.out go
        [ -s go.err ] && bad "go: $(cat go.err)"
        approf proto -o go.pb.gz "$APPROF_TABLES"/go-program.*.heap || bad "go: no tables"
        got=$(cum alloc_space fill go.pb.gz)
        [ "$got" -ge 45000000 ] && [ "$got" -le 55000000 ] || bad "go: 50,000,000 bytes of its C code were taken for $got"
        approf run -quiet -rate $RATE -o go.run.pb.gz -- ./go-program >go.out 2>go.err
        same go.plain go.out "go: approf run"
        [ "$(cum alloc_space fill go.run.pb.gz)" -ge 45000000 ] || bad "go: approf run"
        # What share of its memory that is, is seen while it runs.
        mkfifo hold && exec 9<>hold
        start env APPROF_RATE=$RATE LD_PRELOAD="$APPROF_LIB" ./go-program hold >go.live
        wait_for 60 grep -q . go.live || fail "go: does not come to its end"
        approf comments "$started" >go.comments
        contains go.comments '^# seen: [0-9]* bytes live of [0-9]* bytes resident \(([0-9]|[1-4][0-9])%\)$' "go: its own heap is most of its memory"
        exec 9>&-
        kill "$started"
    else
        echo "Go: cgo does not work here, left out: $(head -2 go.err)"
    fi
fi

if here Java java; then
    # Threads, a garbage-collected heap, signals; what it prints is the same each time but for one address.
    profiled java 1000000 bash -c 'java -Xmx64m -XX:+UseSerialGC -XX:+PrintFlagsFinal -version | grep -v SharedBaseAddress'
    compgen -G "profiles/java/java.*.pb.gz" >/dev/null || bad "java: no profile of java itself: $(ls profiles/java)"
fi

if here Node node; then
    cat >n.js <<'JS'
const zlib = require('zlib'), crypto = require('crypto'), { Worker, isMainThread, parentPort } = require('worker_threads');
function work(n) {
    let text = ''; for (let i = 0; i < n; i++) text += 'line ' + i + '\n';
    const packed = zlib.deflateSync(Buffer.from(text));
    return crypto.createHash('sha256').update(zlib.inflateSync(packed)).digest('hex').slice(0, 8) + packed.length;
}
if (!isMainThread) { parentPort.postMessage(work(5000)); }
else {
    console.log(work(20000), [...Array(2000).keys()].map(i => Buffer.alloc(10000, i)).length);
    const worker = new Worker(__filename);
    worker.on('message', m => console.log(m));
    worker.on('exit', c => console.log('ended', c));
}
JS
    profiled node 1000000 node n.js
fi

cat >p.py <<'PY'
import threading, zlib, json
def work(n):
    rows = [{"n": i, "text": "x" * (i % 700)} for i in range(n)]
    sums.append(zlib.crc32(json.dumps(rows).encode()))
sums = []
threads = [threading.Thread(target=work, args=(3000 + i,)) for i in range(5)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sorted(sums))
PY
python=/usr/bin/python3
[ -x $python ] || python=$PYTHON
PYTHONHASHSEED=0 profiled python 5000000 "$python" p.py

# --- what nothing can be preloaded into, or preloaded before ---
cat >c.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void) { char *volatile p = malloc(100000); p[5] = 7; printf("ran %d\n", p[5]); free(p); return 3; }
C
silent() { # COMMAND     the same with the preload, and not a word
    "$1" >plain.out 2>plain.err
    local status=$?
    APPROF_OUT=$TEST_TMP/silent.pb.gz preload "$1" >silent.out 2>silent.err
    equal "$?" "$status" "$1: exit status"
    same plain.out silent.out "$1"
    same plain.err silent.err "$1"
}
if gcc -static c.c -o a-static; then
    refused static "statically linked" ./a-static
    silent ./a-static
fi
if here musl musl-gcc; then
    cat >many.c <<'C'
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void *work(void *argument)
{
    for (int i = 0; i < 20000; i++) {
        char *p = malloc(i % 3000 + 1), *q = calloc(3, 100);
        void *aligned;
        p = realloc(p, i % 5000 + 1);
        if (!p || !q || q[299] || posix_memalign(&aligned, 64, 100) || (unsigned long)aligned % 64) abort();
        free(aligned), free(aligned_alloc(64, 128)), free(q), free(p);
    }
    return argument;
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
    char *big = malloc(50 << 20);
    memset(big, 1, 50 << 20);
    prctl(PR_SET_NAME, "many");
    printf("%d %d\n", big[100], syscall(SYS_getppid) == getppid());
    fflush(stdout);
    if (fork() == 0) { work(0); _exit(5); }
    int status;
    wait(&status);
    volatile size_t much = -5;
    errno = 0;
    void *volatile none = malloc(much);
    printf("%d %p %d\n", WEXITSTATUS(status), none, errno == ENOMEM);
    return 3;
}
C
    musl-gcc many.c -o a-musl || fail many.c
    refused musl musl ./a-musl
    # Its loader does bring the library in, as a child of something that is profiled.
    silent ./a-musl
fi
{ cat c.c; echo '#include <string.h>
void *malloc(size_t n) { static char room[1 << 20]; static size_t used; used += (n + 15) & ~15ul; return room + used - n; }
void free(void *p) { (void)p; }
void *calloc(size_t n, size_t m) { return memset(malloc(n * m), 0, n * m); }
void *realloc(void *p, size_t n) { void *q = malloc(n); if (p) memcpy(q, p, n); return q; }'; } >own.c
gcc -fno-builtin -Wno-builtin-declaration-mismatch own.c -o an-own || fail "own.c"
refused own "own malloc" ./an-own
./an-own >plain.out
APPROF_OUT=$TEST_TMP/own.pb.gz preload ./an-own >own.out 2>own.err
equal $? 3 "its own malloc: exit status"
same plain.out own.out "its own malloc"
contains own.err '^approf: libapprof.so: preloaded behind another allocator' "its own malloc: said once"
equal "$(wc -l <own.err)" 2 "its own malloc: one line and its hint"
exit 0
