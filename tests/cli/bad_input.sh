#!/bin/bash
# time: 120
# needs: python3
# Whatever is given to it that is no profile, or asked that is nonsense: one error line with its subject, a hint, nothing on
# stdout, exit status 2; no crash. (Runs under the sanitizers too.)
. "$(dirname "$0")/../lib.sh"

# A sound profile, made here byte by byte so that this test needs nothing of ours to make its inputs.
cat >make.py <<'PY'
import gzip, os, random
from pprof_wire import message, number, varint
strings = ["", "alloc_objects", "count", "alloc_space", "bytes", "inuse_objects", "inuse_space", "space", "leaf", "main", "x.c"]
def body(samples=50, types=4, nil=False, table=strings):
    p = b""
    for kind, unit in ((1, 2), (3, 4), (5, 2), (6, 4))[:types]:
        p += message(1, number(1, kind) + number(2, unit))
    for i in range(samples):
        p += message(2, message(1, varint(1 if not nil else 99) + varint(2)) + message(2, b"".join(varint(v) for v in (i, i * 100, i % 3, i % 3 * 100))))
    p += message(3, number(1, 1) + number(2, 0x400000) + number(3, 0x500000) + number(7, 1))
    for i, name in ((1, 8), (2, 9)):
        p += message(4, number(1, i) + number(2, 1) + number(3, 0x400000 + i) + message(4, number(1, i) + number(2, 10 * i)))
        p += message(5, number(1, i) + number(2, name) + number(3, name) + number(4, 10))
    for s in table:
        p += message(6, s.encode())
    return p + message(11, number(1, 7) + number(2, 4)) + number(12, 524288)
good = gzip.compress(body(), mtime=0)
def put(name, data): open(name, "wb").write(data)
put("good", good)
put("good-plain", body())
put("empty", b"")
for part in (1, 2, 10, 18, len(good) // 2, len(good) - 1): put("bad-cut-%d" % part, good[:part])
put("bad-gzip-of-nothing", gzip.compress(b""))
put("bad-gzip-of-text", gzip.compress(b"hello, world\n" * 100))
put("bad-magic", b"\x1f\x8c" + good[2:])
put("bad-text", b"this is no profile\n" * 20)
put("bad-elf", open("/bin/true", "rb").read())
put("bad-tables-magic-only", b"APPROFH1")
put("bad-tables-cut", b"APPROFH1" + b"\1\0\0\0" + b"\0" * 100)
put("bad-tables-version", b"APPROFH1" + b"\xff\xff\0\0" + b"\0" * 200000)
put("bad-tables-huge", b"APPROFH1" + b"\1\0\0\0" + b"\xff" * 200000)
put("bad-nil-location", gzip.compress(body(nil=True)))
put("bad-type-count", gzip.compress(body(types=2)))
put("bad-strings", gzip.compress(body(table=strings[:3])))
put("bad-first-string", gzip.compress(body(table=["x"] + strings[1:])))
put("bad-long-length", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f")
put("bad-zeros", b"\0" * 4096)
flipped = bytearray(good); flipped[len(flipped) // 2] ^= 0x55
put("bad-flipped", bytes(flipped))
random.seed(7)
put("bad-noise", bytes(random.randrange(256) for _ in range(5000)))
put("bad-gzip-of-noise", gzip.compress(bytes(random.randrange(256) for _ in range(5000))))
PY
PYTHONPATH=$TOP/tests "$PYTHON" make.py || fail "the inputs cannot be made"

approf top good >out 2>err || fail "the sound profile is refused: $(cat err)"
contains out '^Showing nodes accounting for' "the sound profile"
approf top good-plain >out 2>err || bad "the sound profile, not compressed, is refused: $(cat err)"

# refused TEXT ARGS…   approf ARGS ends with 2, says why in one line and what to do in another, and prints no result
refused() {
    local text=$1 status lines
    shift
    timeout 60 "$APPROF_BIN" "$@" >out 2>err </dev/null
    status=$?
    equal "$status" 2 "$text: exit status"
    [ -s out ] && bad "$text: prints a result: $(head -2 out)"
    lines=$(grep -c '^approf: ' err)
    equal "$lines" 1 "$text: lines of error ($(head -3 err))"
    grep -q '^hint: .' err || bad "$text: no hint: $(head -3 err)"
    grep -E '^approf: .*\.$|^approf: [A-Z]' err && bad "$text: not in lower case without a full stop"
    [ "$(wc -l <err)" -le 4 ] || bad "$text: $(wc -l <err) lines on stderr"
    grep -qE 'Sanitizer|runtime error' err && bad "$text: $(grep -m1 -E 'Sanitizer|runtime error' err)"
}

mkdir folder
ln -s nowhere dangling
for file in empty bad-*; do
    for command in top raw; do
        refused "$command $file" "$command" "$file"
    done
    # The file is named, so that of several one knows which.
    contains err "^approf: .*$file" "$file: its name"
done
refused "a folder" top folder
refused "a missing file" top no-such-file
refused "a link to nothing" top dangling
refused "a base that is missing" top -base=no-such-file good
refused "a base that is broken" top -diff_base bad-text good
refused "no source" top
refused "both bases" top -base=good -diff_base=good good
if [ "$(id -u)" -ne 0 ]; then
    cp good locked && chmod 0 locked
    refused "a file that may not be read" top locked
fi
# A device or a pipe without an end must not hang it; /dev/null is empty.
refused "/dev/null" top /dev/null
refused "/dev/zero" top /dev/zero

for option in focus ignore hide show show_from prune_from; do
    refused "a bad regular expression in -$option" top "-$option=(unclosed" good
done
refused "a bad regular expression in list" list '(unclosed' good
refused "a regular expression that finds nothing" list no_function_is_called_so good
refused "a bad sample_index" top -sample_index=nonsense good
refused "a sample_index out of range" top -sample_index=9 good
refused "a bad unknown option" top -no_such_option good
refused "an option without its value" top good -sample_index
refused "a number that is none" top -nodecount=many good
refused "a fraction that is none" top -nodefraction=half good
refused "a boolean that is none" top -cum=perhaps good
refused "two formats" -top -raw good
refused "an unknown command" tpo good
contains err 'top' "the nearest command is named"
refused "an unknown version" top -compat=go9.99 good

# A number too large for any machine, a pattern that would take for ever.
refused "a huge nodecount" top -nodecount=99999999999999999999 good
timeout 30 "$APPROF_BIN" top '-focus=(a*)*(a*)*(a*)*b' good >out 2>err
[ $? -ne 124 ] || bad "a pattern with heavy backtracking hangs it"

# Control characters in names must not reach a terminal.
printf 'x' >"$(printf 'evil\033[31m')"
timeout 60 "$APPROF_BIN" top "$(printf 'evil\033[31m')" >out 2>err
LC_ALL=C grep -q "$(printf '\033')" err && bad "an escape sequence in a file name reaches the terminal"

# Among several sources one broken one ends it too, and is named.
timeout 60 "$APPROF_BIN" top good bad-text >out 2>err
status=$?
[ "$status" -eq 2 ] || [ -s out ] || bad "one broken source among two: exit $status and nothing printed"
contains err 'bad-text' "the broken one among two is named"
exit 0
