#!/bin/bash
# time: 120
# Where approf lies, where its files go, and what LD_PRELOAD held before.
. "$(dirname "$0")/../lib.sh"
leaky=$test_programs/run/leaky

# installed trees, also with what LD_PRELOAD can't hold
for tree in plain "with space" "with:colon" "with 'quote"; do
    for place in bin lib lib/approf; do
        rm -rf "./$tree"
        mkdir -p "$tree/bin" "$tree/$place"
        cp "$APPROF_BIN" "$tree/bin/approf"
        cp "$APPROF_LIB" "$tree/$place/"
        "./$tree/bin/approf" run -- "$leaky" 2> said || bad "$tree, $place: $(cat said)"
        [ "$(ls -- *.pb.gz 2> /dev/null | wc -l)" -eq 1 ] || bad "$tree, $place: no profile: $(cat said)"
        grep -q "ERROR: ld.so" said && bad "$tree, $place: $(cat said)"
        rm -f -- *.pb.gz
    done
done
mkdir alone && cp "$APPROF_BIN" alone/approf
./alone/approf run -- "$leaky" 2> said; [ $? -eq 2 ] || bad "no library"
grep -q "^hint: " said || bad "no library: $(cat said)"

# an LD_PRELOAD that was there stays, behind ours
LD_PRELOAD=libm.so.6 "$APPROF_BIN" run -- sh -c 'echo "$LD_PRELOAD"' > out 2> /dev/null
case $(cat out) in *libapprof.so:libm.so.6) ;; *) bad "chain: $(cat out)" ;; esac
rm -f -- *.pb.gz

# patterns, other directories, files that are there already
mkdir -p deep/er
"$APPROF_BIN" run -output 'deep/100%%-%e.pb.gz' -- sh -c "cd deep/er && exec '$leaky'" 2> said
[ -e 'deep/100%-leaky.pb.gz' ] || bad "pattern: $(find . -name '*.pb.gz')"
"$APPROF_BIN" run -output 'deep/100%%-%e.pb.gz' -only leaky -- "$leaky" 2> said
[ -e 'deep/100%-leaky.pb.gz.2' ] || bad "the second run: $(find deep)"
[ "$(stat -c %a 'deep/100%-leaky.pb.gz')" = 600 ] || bad "mode"
APPROF_OUT=named.pb.gz "$APPROF_BIN" run -- "$leaky" 2> said; [ -e named.pb.gz ] || bad "APPROF_OUT: $(cat said)"

# nowhere to write: the tables stay and can be read
"$APPROF_BIN" run -output /proc/none/x.pb.gz -- "$leaky" 2> said
tables=$(sed -n 's/.*approf top \(.*\) reads them/\1/p' said)
[ -n "$tables" ] && "$APPROF_BIN" top "$tables" 2>&1 | has leaky || bad "not writable: $(cat said)"
"$APPROF_BIN" ps --clean > /dev/null

# no tables: the program writes its own
APPROF_TABLES=off "$APPROF_BIN" run -- "$leaky" 2> said
[ "$(ls approf.leaky.*.pb.gz | wc -l)" -eq 1 ] || bad "tables off: $(ls) $(cat said)"
