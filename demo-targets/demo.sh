#!/bin/sh
# `make demo`: finds a real bug in a running server, in about a minute.
# REQUESTS=N sets the size (75000 a command; 300000 is the full story).
set -eu

cd "$(dirname "$0")/.."
tests/install-packages.sh demo
make --no-print-directory -s all demos
. demo-targets/run_lib.sh

requests=${REQUESTS:-75000}
buggy=$profiles/redis-clone-buggy.pb.gz
fixed=$profiles/redis-clone-fixed.pb.gz
load=demo-targets/redis-clone/load.sh

cat <<TEXT
A small Redis server has a slow command. It runs unchanged under LD_PRELOAD=$BUILD/libapprof.so while
redis-benchmark sends $requests requests of each of seven kinds; then the profile says why.
TEXT

say "1. The buggy server under load"
start_server "$buggy" "$demo_programs/redis-clone-buggy"
show "$load" "$server_port" "$requests"
stop_server
echo
echo "LPUSH is the slow one. The server was stopped with SIGTERM and left $buggy."

say "2. Who allocates: alloc_space, all that was ever allocated"
show "$approf" top -sample_index=alloc_space -nodecount=10 "$buggy"

say "3. Who holds memory: inuse_space, what was live at the end"
show "$approf" top -sample_index=inuse_space -nodecount=10 "$buggy"
echo
echo "Nothing leaks: each array is freed soon after. Only the first view shows the waste."

say "4. Which line it is"
show "$approf" list -sample_index=alloc_space '^store_lpush$' "$buggy"
echo
echo "Each push allocates an array for the whole list. The fix is a deque:"
echo "  diff demo-targets/redis-clone/store_lpush_buggy.c demo-targets/redis-clone/store_lpush_fixed.c"

say "5. The fixed server under the same load"
start_server "$fixed" "$demo_programs/redis-clone-fixed"
show "$load" "$server_port" "$requests"
stop_server
show "$approf" top -sample_index=alloc_space -nodecount=10 "$fixed"

say "6. What the fix did"
show "$approf" diff -sample_index=alloc_space -nodecount=10 "$buggy" "$fixed"

say "Look further"
cat <<TEXT
  P=$buggy
  $approf top -cum \$P                   callers with what they call
  $approf tree -focus=store_lpush \$P    who calls it
  $approf web \$P                        graph, flame graph and source in a browser
  go tool pprof -top -sample_index=alloc_space \$P
  go tool pprof -http=: \$P
  LD_PRELOAD=$BUILD/libapprof.so PROGRAM    your own, unchanged; make stories has three more bugs
TEXT
