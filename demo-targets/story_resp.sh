# story_resp.sh - the same server, many times faster in seven steps. Sourced by stories.sh.
# shellcheck shell=sh

# own_cores              whether client and server can have a core each, so that they do in every run
own_cores() {
    [ -z "$BUSY" ] && [ "$(nproc)" -ge 2 ] && command -v taskset >/dev/null
}

# start_redis            Debian's redis-server, which has no line that says it is ready
start_redis() {
    server_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    redis-server --port "$server_port" --bind 127.0.0.1 --save '' --appendonly no --daemonize no \
        >"$profiles/server.out" 2>"$profiles/server.err" &
    server_pid=$! profile=-
    tries=200
    until redis-cli -p "$server_port" ping 2>/dev/null | grep PONG >/dev/null; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || give_up "redis-server: did not get ready"
        sleep 0.05
    done
}

# measure NAME           one run of $requests against that server; keeps the most requests/s and the least processor time
measure() {
    eval "pid=\$pid_$1 port=\$port_$1 most=\$rps_$1 least=\$cpu_$1"
    before=$(cpu_ns "$pid")
    CSV=$profiles/resp.csv $on_core_1 demo-targets/resp-stages/load.sh "$port" "$requests" >/dev/null
    spent=$((($(cpu_ns "$pid") - before) / requests)) rps=$(cut -d, -f3 "$profiles/resp.csv")
    [ "$most" -ge "$rps" ] || eval "rps_$1=$rps"
    [ "$least" -gt 0 ] && [ "$least" -le "$spent" ] || eval "cpu_$1=$spent"
}

# measure_all            of all stages and of Redis, without the preload: rps_N, and cpu_N in ns a request. They take turns,
# so that whatever else the machine does meets all of them; the first turn fills their stores and does not count.
measure_all() {
    servers='0 1 2 3 4 5 6 7'
    for stage in $servers; do
        start_server - "$demo_programs/resp-stage$stage"
        eval "pid_$stage=$server_pid port_$stage=$server_port"
        more_pids="$more_pids $server_pid"
    done
    start_redis
    pid_redis=$server_pid port_redis=$server_port
    more_pids="$more_pids $server_pid"
    servers="$servers redis"
    on_core_1=
    if own_cores; then
        on_core_1='taskset -c 1'
        for pid in $more_pids; do
            taskset -a -c -p 0 "$pid" >/dev/null
        done
    fi
    for turn in 0 1 2 3; do
        for server in $servers; do
            [ $turn -gt 1 ] || eval "rps_$server=0 cpu_$server=0"
            measure "$server"
        done
    done
    server_pid=
    for server in $servers; do
        eval "pid=\$pid_$server"
        kill -TERM "$pid"
        wait "$pid" || give_up "server $server ended with status $?"
    done
    more_pids=
}

what_stage() {
    case $1 in
    0) echo original ;;
    1) echo read-slice ;;
    2) echo fast-parse ;;
    3) echo aof-cow ;;
    4) echo fields ;;
    5) echo shared-buffer ;;
    6) echo value-buffer ;;
    7) echo replies ;;
    esac
}

story_resp() {
    requests=${REQUESTS:-$([ -n "$FULL" ] && echo 10000000 || echo 500000)}
    counted=100000
    begin resp "resp-stages: many times faster in seven steps"
    measure_all
    echo
    echo "Each stage: the best of three runs of $requests requests, in turn; then one of $counted under the preload for its"
    echo "profile."
    row stage '' 'bytes/request' 'objects/request' 'requests/s' 'to the stage before' 'server, ns/request'
    row --- --- --: --: --: --: --:
    last= once='^(open_connection|shared_buffer|tcp_server_run)$'
    for stage in 0 1 2 3 4 5 6 7; do
        # Every allocation is recorded, so that these figures are exact; fewer requests do.
        APPROF_RATE=1 start_server "$profiles/resp-stage$stage.pb.gz" "$demo_programs/resp-stage$stage"
        demo-targets/resp-stages/load.sh "$server_port" "$counted" >/dev/null
        stop_server
        # Without what a connection has for itself, once: that is not per request.
        set -- "$profiles/resp-stage$stage.pb.gz" -relative_percentages -ignore="$once"
        bytes=$(calc "$(total alloc_space "$@") / $counted" %.1f)
        objects=$(calc "$(total alloc_objects "$@") / $counted" %.2f)
        eval "rps=\$rps_$stage cpu=\$cpu_$stage bytes_$stage=$bytes objects_$stage=$objects"
        change=$([ -n "$last" ] && calc "100 * $rps / $last - 100" '%+.0f%%' || echo)
        last=$rps
        row $stage "$(what_stage $stage)" "$bytes" "$objects" "$(grouped "$rps")" "$change" "$(grouped "$cpu")"
        printf '  stage %s %-14s %9s bytes %7s objects a request %12s requests/s %5s %8s ns of the server a request\n' \
            $stage "$(what_stage $stage)" "$bytes" "$objects" "$(grouped "$rps")" "$change" "$(grouped "$cpu")"
    done
    printf '  redis-server %59s requests/s %14s ns\n' "$(grouped "$rps_redis")" "$(grouped "$cpu_redis")"
    show "$approf" diff -sample_index=alloc_space -nodecount=8 "$profiles/resp-stage0.pb.gz" "$profiles/resp-stage1.pb.gz"
    show "$approf" diff -sample_index=alloc_space -nodecount=8 "$profiles/resp-stage4.pb.gz" "$profiles/resp-stage5.pb.gz"
    show "$approf" top -sample_index=alloc_space "$profiles/resp-stage7.pb.gz"
    stored=$(calc "$(flat alloc_space new_pair "$profiles/resp-stage7.pb.gz") + $(flat alloc_space resize "$profiles/resp-stage7.pb.gz")" %.0f)
    at_all=$(total alloc_space "$profiles/resp-stage7.pb.gz" -relative_percentages -ignore="$once")

    text ''
    row '' theirs ours
    row --- --- ---
    row 'requests/s, first and last stage' '70,774 → 1,397,038, 19.7 times' \
        "$(grouped "$rps_0") → $(grouped "$rps_7"), $(ratio "$rps_7" "$rps_0") times"
    row "server's processor time a request" '' "$(grouped "$cpu_0") ns → $(grouped "$cpu_7") ns, $(ratio "$cpu_0" "$cpu_7") times less"
    row 'redis-server in the same run' '1,090,513' "$(grouped "$rps_redis"), $(grouped "$cpu_redis") ns"
    row 'last stage: of alloc_space what it stores' '' "$(share "$stored" "$at_all")%"
    text '' 'On two cores the client has one for itself, and sets the limit from some stage on; the processor time does not' \
        'depend on it.' ''

    for stage in 1 2 3 4 5 6 7; do
        eval "bytes=\$bytes_$stage objects=\$objects_$stage bytes_before=\$bytes_$((stage - 1)) objects_before=\$objects_$((stage - 1))"
        claim "bytes a request, stage $stage" "$bytes" '<' "$bytes_before"
        claim "objects a request, stage $stage" "$objects" '<' "$objects_before"
    done
    claim "last stage: percent of alloc_space that it stores" "$(share "$stored" "$at_all")" '>=' 99.9
    claim "last stage: objects a request, one a new key at most" "$objects_7" '<' 1
    claim_of_time "requests/s, last stage by first" "$(ratio "$rps_7" "$rps_0")" '>=' 5
    # On a busy machine each wakeup is a switch from something else, which the last stage pays as the first one does.
    claim "server's processor time a request, first stage by last" "$(ratio "$cpu_0" "$cpu_7")" '>=' "${BUSY:+0.6 *} 5"
    claim_of_time "requests/s, last stage by redis-server's" "$(calc "$rps_7 / $rps_redis")" '>=' 1
    claim "server's processor time a request, last stage by redis-server's" "$(calc "$cpu_7 / $cpu_redis")" '<=' 1
}
