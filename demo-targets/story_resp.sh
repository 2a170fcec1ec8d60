# story_resp.sh - the same server, many times faster in seven steps. Sourced by stories.sh.
# shellcheck shell=sh

# best_of_three PORT     requests/s, into $rps; the first run also fills the store
best_of_three() {
    rps=0
    for run in 1 2 3; do
        CSV=$profiles/resp.csv demo-targets/resp-stages/load.sh "$1" "$requests" >/dev/null
        this=$(cut -d, -f3 "$profiles/resp.csv")
        [ "$this" -le "$rps" ] || rps=$this
    done
}

# speed_of PROGRAM…      of a server without the preload
speed_of() {
    start_server - "$@"
    best_of_three "$server_port"
    stop_server
}

# speed_of_redis         the same for Debian's redis-server, which has no line that says it is ready
speed_of_redis() {
    rps=
    command -v redis-server >/dev/null || return 0
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no --daemonize no \
        >"$profiles/server.out" 2>"$profiles/server.err" &
    server_pid=$! profile=-
    tries=100
    until redis-cli -p "$port" ping 2>/dev/null | grep -q PONG; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || give_up "redis-server: did not get ready"
        sleep 0.05
    done
    best_of_three "$port"
    stop_server
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
    requests=${REQUESTS:-$([ -n "$FULL" ] && echo 10000000 || echo 1000000)}
    counted=100000
    begin resp "resp-stages: many times faster in seven steps"
    echo
    echo "Each stage: the best of three runs as it is, then one of $counted requests under the preload for its profile."
    row stage '' 'bytes/request' 'objects/request' 'requests/s' 'to the stage before'
    row --- --- --: --: --: --:
    last= once='^(open_connection|shared_buffer|tcp_server_run)$'
    for stage in 0 1 2 3 4 5 6 7; do
        program=$demo_programs/resp-stage$stage
        speed_of "$program"
        # Every allocation is recorded, so that these figures are exact; fewer requests do.
        APPROF_RATE=1 start_server "$profiles/resp-stage$stage.pb.gz" "$program"
        demo-targets/resp-stages/load.sh "$server_port" "$counted" >/dev/null
        stop_server
        # Without what a connection has for itself, once: that is not per request.
        set -- "$profiles/resp-stage$stage.pb.gz" -relative_percentages -ignore="$once"
        bytes=$(calc "$(total alloc_space "$@") / $counted" %.1f)
        objects=$(calc "$(total alloc_objects "$@") / $counted" %.2f)
        change=$([ -n "$last" ] && calc "100 * $rps / $last - 100" '%+.0f%%' || echo)
        [ $stage -gt 0 ] || first=$rps
        last=$rps
        row $stage "$(what_stage $stage)" "$bytes" "$objects" "$(grouped "$rps")" "$change"
        printf '  stage %s %-14s %9s bytes %7s objects a request %12s requests/s %s\n' \
            $stage "$(what_stage $stage)" "$bytes" "$objects" "$(grouped "$rps")" "$change"
        figure "bytes_$stage" "$bytes"
        figure "objects_$stage" "$objects"
    done
    speed_of_redis
    show "$approf" diff -sample_index=alloc_space -nodecount=8 "$profiles/resp-stage0.pb.gz" "$profiles/resp-stage1.pb.gz"
    show "$approf" diff -sample_index=alloc_space -nodecount=8 "$profiles/resp-stage4.pb.gz" "$profiles/resp-stage5.pb.gz"
    show "$approf" top -sample_index=alloc_space "$profiles/resp-stage7.pb.gz"
    stored=$(calc "$(flat alloc_space new_pair "$profiles/resp-stage7.pb.gz") + $(flat alloc_space resize "$profiles/resp-stage7.pb.gz")" %.0f)
    at_all=$(total alloc_space "$profiles/resp-stage7.pb.gz" -relative_percentages -ignore="$once")

    text ''
    row '' theirs ours
    row --- --- ---
    row 'requests/s, first and last stage' '70,774 → 1,397,038, 19.7 times' \
        "$(grouped "$first") → $(grouped "$last"), $(ratio "$last" "$first") times"
    row 'redis-server in the same run' '1,090,513' "$([ -n "$rps" ] && grouped "$rps" || echo 'not installed')"
    row 'last stage: of alloc_space what it stores' '' "$(share "$stored" "$at_all")%"
    text ''

    figure faster "$(ratio "$last" "$first")"
    figure of_redis "$([ -n "$rps" ] && calc "$last / $rps" || echo 0)"
    figure stored_percent "$(share "$stored" "$at_all")"
}
