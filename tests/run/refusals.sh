#!/bin/bash
# time: 120
# needs: gcc musl-gcc python3
# What can't be profiled is refused before it runs, with the reason; what can be is not.
. "$(dirname "$0")/../lib.sh"

refused() { # STATUS TEXT COMMAND…
    local status=$1 text=$2
    shift 2
    "$APPROF_BIN" run -- "$@" > out 2> said < /dev/null
    local got=$?
    [ $got -eq "$status" ] || bad "$text: status $got"
    grep -q "^approf: .*$text" said || bad "$text: $(cat said)"
    grep -q "^hint: " said || bad "$text: no hint"
    grep -q ran out && bad "$text: was run all the same"
}

cat > p.c <<'C'
#include <stdio.h>
int main(void) { puts("ran"); return 0; }
C
gcc p.c -o fine
gcc -static p.c -o static && refused 2 "statically linked" ./static
gcc -static-pie p.c -o static-pie && refused 2 "statically linked" ./static-pie
musl-gcc p.c -o musl && refused 2 musl ./musl
{ cat p.c; echo '#include <stddef.h>
void *malloc(size_t n) { static char room[1 << 20]; static size_t used; used += (n + 15) & ~15ul; return room + used - n; }
void free(void *p) { (void)p; }'; } > own.c
gcc -fno-builtin -Wno-builtin-declaration-mismatch -rdynamic own.c -o own && refused 2 "own malloc" ./own
python3 - <<'PY'
data = bytearray(open("fine", "rb").read())
data[18] = 0xb7  # AArch64
open("other-machine", "wb").write(data)
PY
chmod +x other-machine && refused 2 "another processor" ./other-machine
{ printf "\1\0\2"; head -c 20000 /dev/urandom; } > noise && chmod +x noise && refused 2 "neither an ELF program nor a script" ./noise
head -c 70 fine > cut && chmod +x cut && refused 2 . ./cut
refused 127 "no such file" ./nothing
refused 127 "no such command" nothing-of-this-name
refused 126 "not an executable" ./p.c
printf '#!%s/static\n' "$PWD" > script && chmod +x script && refused 2 "statically linked" ./script
printf '#!/no/such/interpreter\n' > lost && chmod +x lost && refused 126 interpreter ./lost
"$APPROF_BIN" run -rate lots -- ./fine 2> said && bad "-rate lots"
grep -q "is no number of bytes" said || bad "-rate lots: $(cat said)"
"$APPROF_BIN" run 2> said; [ $? -eq 2 ] || bad "no program"

# rights: only where we can make such files and be somebody else
if [ "$(id -u)" -eq 0 ] && command -v setpriv > /dev/null; then
    chmod 755 . && mkdir -m 777 free
    cp fine setuid && chmod 4755 setuid
    cp fine setgid && chmod 2755 setgid
    for kind in setuid setgid; do
        (cd free && unset APPROF_TABLES &&
            setpriv --reuid=65534 --regid=65534 --clear-groups "$APPROF_BIN" run -- ../$kind > ../out 2> ../said)
        grep -q "is $kind" said || bad "$kind: $(cat said)"
    done
    "$APPROF_BIN" run -- ./setuid 2> said | has ran || bad "setuid to oneself: $(cat said)"
    if command -v setcap > /dev/null && cp fine able && setcap cap_net_raw+ep able 2> /dev/null; then
        (cd free && unset APPROF_TABLES &&
            setpriv --reuid=65534 --regid=65534 --clear-groups "$APPROF_BIN" run -- ../able > ../out 2> ../said)
        grep -q "file capabilities" said || bad "capabilities: $(cat said)"
    fi
fi

# and these are fine
"$APPROF_BIN" run -- ./fine 2> said | has ran || bad "a plain program: $(cat said)"
printf '#!/bin/sh\necho ran\n' > sh-script && chmod +x sh-script
"$APPROF_BIN" run -- ./sh-script 2> said | has ran || bad "a shell script: $(cat said)"
printf 'echo ran\n' > text && chmod +x text
"$APPROF_BIN" run -- ./text 2> said | has ran || bad "a text without an interpreter line: $(cat said)"
printf '#!/usr/bin/env python3\nprint("ran")\n' > env-script && chmod +x env-script
"$APPROF_BIN" run -- ./env-script 2> said | has ran || bad "a script through env: $(cat said)"
PATH=$PWD:$PATH "$APPROF_BIN" run -- fine 2> said | has ran || bad "a program along PATH: $(cat said)"
