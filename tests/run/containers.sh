#!/bin/bash
# time: 180
# needs: unshare
# A process in another pid and mount namespace, with a /dev/shm of its own, as a container has them: seen from
# outside by its outer pid, alive and dead; inside by its inner one.
. "$(dirname "$0")/../lib.sh"
mkdir bin
leaky=$TEST_TMP/bin/contained.$$ # a name that no other test has
cp "$test_programs/run/leaky" "$leaky"
unset APPROF_TABLES # the usual place, as in a container
cat >inside.sh <<'S'
mount -t tmpfs tmpfs /dev/shm || exit 9
LD_PRELOAD=$1 "$2" wait >ready &
while ! grep -q ready ready; do sleep 0.05; done
"$3" ps >inside.out 2>&1
"$3" top "$5" >inside.top 2>&1
while [ ! -e "$4" ]; do sleep 0.05; done
kill -KILL $!
wait
"$3" ps >inside.dead 2>&1
"$3" top "$5" >inside.dead.top 2>&1
S
unshare --pid --fork --mount-proc true 2>said || skip "no namespaces of our own: $(tail -1 said)"
mkdir mine && unshare --mount sh -c "mount -t tmpfs tmpfs mine" 2>said || skip "no mounts of our own: $(tail -1 said)"
unshare --pid --fork --mount-proc sh inside.sh "$APPROF_LIB" "$leaky" "$APPROF_BIN" enough "$(basename "$leaky")" &
container=$!
started_pids+=("$container")
wait_for 60 test -s inside.top || fail "nothing happens inside: $(cat inside.out)"
inner=$(sed -n 's/ready //p' ready)
contains inside.out "^ *$inner .* alive +/.*/contained\.[0-9]+$" "ps inside"
contains inside.top ' leaky$' "top inside"

"$APPROF_BIN" ps >out 2>&1
contains out '^ *[0-9]+ .* alive, in a container +/.*/contained\.[0-9]+$' "ps outside"
outer=$(awk '/alive, in a container/ && /contained/ { print $1 }' out)
equal "$(echo "$outer" | wc -w)" 1 "processes outside"
[ "$outer" != "$inner" ] || bad "the pid is the inner one: $outer"
equal "$(sed -n 's/^NSpid:.*\t//p' "/proc/$outer/status")" "$inner" "the pid is that of the process"
"$APPROF_BIN" top -lines "$outer" >out 2>said || bad "top outside: $(cat said)"
contains out 'leaky .*leaky\.c:[0-9]+' "top outside"
"$APPROF_BIN" raw "$(basename "$leaky")" >out 2>said || bad "by name: $(cat said)"
contains out ' leaky ' "by name"
first=$("$APPROF_BIN" raw "$outer" | grep ^Time)
second=$("$APPROF_BIN" raw "$outer" | grep ^Time)
[ "$first" != "$second" ] || bad "time stands still, though the process lives"
start "$APPROF_BIN" serve "$outer" -http 127.0.0.1:0 >serve.out 2>serve.err
wait_for 30 grep -q serving serve.err || bad "serve: $(cat serve.err)"
url=$(sed -n 's/.* at \(http:.*\)$/\1/p' serve.err)
"$APPROF_BIN" top "${url}heap" >out 2>said || bad "serve: $(cat said)"
contains out 'leaky' "serve"
touch enough
wait "$container"
contains inside.dead "^ *$inner .* ended without goodbye +/.*/contained\.[0-9]+$" "ps inside, after SIGKILL"
contains inside.dead.top ' leaky$' "top inside, after SIGKILL"
"$APPROF_BIN" ps >out 2>&1
lacks out "^ *$outer " "the container has gone"
