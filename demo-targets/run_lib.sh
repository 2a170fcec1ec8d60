# run_lib.sh - what the demo scripts share: saying what is done, servers under the preload, and their
# end. Sourced by demo.sh and stories.sh, which run in the top folder. POSIX sh.
# shellcheck shell=sh

BUILD=${BUILD:-build}
demo_programs=$BUILD/demo
profiles=${PROFILES:-$BUILD/demo/profiles}
approf=$BUILD/approf
server_pid=
more_pids= # of servers that run beside that one
mkdir -p "$profiles"
case $BUILD in
/*) preload_library=$BUILD/libapprof.so ;;
*) preload_library=$PWD/$BUILD/libapprof.so ;;
esac

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    bold=$(printf '\033[1m') plain=$(printf '\033[0m')
else
    bold='' plain=''
fi

# say TEXT…           what happens next
say() {
    printf '\n%s== %s%s\n' "$bold" "$*" "$plain"
}

# show CMD ARGS…      the command as one would type it, then what it prints
show() {
    printf '\n%s$' "$bold"
    for word in "$@"; do
        case $word in
        *[!A-Za-z0-9_./=:-]*) printf " '%s'" "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    printf '%s\n' "$plain"
    "$@"
}

# give_up TEXT…       ends with a message, and what the server had to say
give_up() {
    echo "approf: demo: $*" >&2
    [ -s "$profiles/server.err" ] && sed 's/^/  /' "$profiles/server.err" >&2
    exit 1
}

# start_server PROFILE PROGRAM ARGS…   under the preload; PROFILE "-" runs it without
# Sets server_pid and server_port. The profile is written when the server ends.
start_server() {
    profile=$1
    shift
    : >"$profiles/server.out" # the child opens it when it gets to it: no line of the last server may be there then
    if [ "$profile" = - ]; then
        "$@" --port 0 >"$profiles/server.out" 2>"$profiles/server.err" &
    else
        rm -f "$profile"
        APPROF_OUT=$profile LD_PRELOAD=$preload_library "$@" --port 0 \
            >"$profiles/server.out" 2>"$profiles/server.err" &
    fi
    server_pid=$!
    tries=200
    until grep -q 'listening on' "$profiles/server.out"; do
        kill -0 "$server_pid" 2>/dev/null || give_up "$1: ended at once"
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || give_up "$1: did not get ready"
        sleep 0.05
    done
    server_port=$(sed -n 's/.*listening on .*:\([0-9]*\)$/\1/p' "$profiles/server.out")
}

# cpu_ns PID          the processor time of a process so far, threads that have ended included
cpu_ns() {
    python3 -c 'import sys, time; print(time.clock_gettime_ns(~int(sys.argv[1]) << 3 | 2))' "$1"
}

# stop_server         SIGTERM, and wait: the profile is there afterwards
stop_server() {
    pid=$server_pid
    server_pid=
    kill -TERM "$pid"
    wait "$pid" || give_up "the server ended with status $?"
    [ "$profile" = - ] || [ -s "$profile" ] || give_up "$profile: no profile was written"
}

end_of_demo() {
    status=$?
    trap - EXIT
    for pid in $server_pid $more_pids; do
        kill -TERM "$pid" 2>/dev/null || true
    done
    exit "$status"
}
trap end_of_demo EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
