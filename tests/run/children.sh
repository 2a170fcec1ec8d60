#!/bin/bash
# time: 180
# Every process of a run gets its profile: forked, started by a shell, many of one program, outliving the run.
. "$(dirname "$0")/../lib.sh"
leaky=$test_programs/run/leaky

"$APPROF_BIN" run -- "$leaky" fork 2> said
files=(approf.leaky.*.pb.gz)
[ "${#files[@]}" -eq 4 ] || bad "forks: ${#files[@]} profiles"
grep -q "4 processes, .* together" said || bad "forks: $(cat said)"
rm -f -- *.pb.gz

# more dead of one program than the hook keeps by itself
"$APPROF_BIN" run -output 'of-%e-%p.pb.gz' -- sh -c "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do '$leaky'; done" 2> said
files=(of-leaky-*.pb.gz)
[ "${#files[@]}" -eq 12 ] || bad "shell: ${#files[@]} profiles"
rm -f -- *.pb.gz

# -only, -rate
"$APPROF_BIN" run -only 'leak*' -rate 1 -- sh -c "'$leaky'; cat /dev/null" 2> said
files=(*.pb.gz)
[ "${#files[@]}" -eq 1 ] || bad "-only: ${files[*]}"
grep -q ": 19.07MB allocated, 19.07MB live at the end" said || bad "-rate 1 is exact: $(cat said)"
rm -f -- *.pb.gz

# one that outlives the run is left alone, and writes its own profile when it ends
"$APPROF_BIN" run -- "$leaky" daemon "$TEST_TMP/stop" 2> said
grep -q "1 process is still running" said || bad "daemon: $(cat said)"
files=(*.pb.gz)
[ "${#files[@]}" -eq 1 ] || bad "daemon, before: ${files[*]}"
"$APPROF_BIN" ps | has "alive .*leaky" || bad "ps does not show the daemon"
touch stop
wait_for 20 sh -c 'ls | grep -c "pb.gz$" | grep -qx 2' || bad "the daemon's own profile"
"$APPROF_BIN" ps --clean > /dev/null
