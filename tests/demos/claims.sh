#!/bin/bash
# time: 60
# quick
# needs: python3
# The judge of the stories: a claim that does not hold is named and fails the run; so does a story that claims nothing.
. "$(dirname "$0")/../lib.sh"

cat >judge.sh <<'END'
set -eu
. "$1/demo-targets/figures.sh"
. "$1/demo-targets/claims.sh"
open_claims first.claims
claim "a is large" 20.5 '>=' 20
claim "b is small" 0.04 '<' "0.1 / 2"
END
cat judge.sh - >good.sh <<'END'
claims_table
judge_claims first.claims
END
sh good.sh "$TOP" >out 2>err || bad "claims that hold: exit status $?: $(cat err)"
contains out '^  a is large: 20\.5, wanted >= 20: holds$' "a claim as it is judged"
contains out '^\| b is small \| < 0\.05 \| 0\.04 \| holds \|$' "the table"
contains out '^Of 2 claims 2 hold\.$' "the summary"
[ -s err ] && bad "claims that hold complain: $(cat err)"

# Each on its own fails it: too small, too large, no figure at all.
while IFS='|' read -r measured operator limit; do
    cat judge.sh - >wrong.sh <<END
open_claims second.claims
claim "c is so" "$measured" '$operator' '$limit'
judge_claims first.claims second.claims
END
    sh wrong.sh "$TOP" >out 2>err && bad "$measured $operator $limit holds"
    contains err "^approf: stories: does not hold: c is so: $measured, wanted " "$measured $operator $limit"
    contains out '^Of 3 claims 2 hold\.$' "$measured $operator $limit: the summary"
done <<'END'
19.9|>=|20
5.01|<=|5
200|==|400
|>=|0
|<|1
END

# On a busy machine times are not judged, and everything else is.
cat judge.sh - >busy.sh <<'END'
claim_of_time "c is fast" 1 '>=' 5
judge_claims first.claims
END
BUSY=1 sh busy.sh "$TOP" >out 2>err || bad "a time on a busy machine was judged: $(cat err)"
contains out '^Of 3 claims 2 hold, 1 were not judged\.$' "the summary on a busy machine"
sh busy.sh "$TOP" >out 2>err && bad "a time that does not hold passes"

cat judge.sh - >none.sh <<'END'
open_claims first.claims
judge_claims first.claims
END
sh none.sh "$TOP" >out 2>&1 && bad "no claim at all passes"

# The processor time of another process, its threads that have ended included.
cat >spend.sh <<'END'
PROFILES=$PWD BUILD=$PWD . "$1/demo-targets/run_lib.sh"
before=$(cpu_ns $2)
echo $before
END
"$PYTHON" -c '
import threading, time
def spin():
    while time.thread_time() < 0.2:
        pass
thread = threading.Thread(target=spin)
thread.start()
thread.join()
open("spent", "w").close()
time.sleep(60)' &
spender=$!
started_pids+=("$spender")
wait_for 50 test -e spent || fail "nothing was spent"
spent=$(sh spend.sh "$TOP" "$spender")
[ "$spent" -ge 200000000 ] && [ "$spent" -lt 20000000000 ] || bad "a process that spent 0.2 s: $spent ns"
