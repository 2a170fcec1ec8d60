# story_parse.sh - gigabytes of garbage from a += in a loop. Sourced by stories.sh.
# shellcheck shell=sh

story_parse() {
    lines=${LINES_PARSED:-6000000}
    begin parse "log-parse: gigabytes of garbage from a += in a loop"
    BUILD=$BUILD show demo-targets/log-parse/load.sh "$lines" | tee "$profiles/parse.table"
    live=$profiles/parse-live.pb.gz
    rm -f "$profiles/parse-buggy.pb.gz" "$profiles/parse-fixed.pb.gz" "$live"
    APPROF_OUT=$profiles/parse-buggy.pb.gz LD_PRELOAD=$preload_library \
        "$demo_programs/log-parse-buggy" --lines "$lines" >/dev/null 2>"$profiles/server.err" &
    server_pid=$!
    # At its end it has freed everything: what it holds meanwhile is in the last of these.
    while readlink "/proc/$server_pid/exe" >/dev/null; do
        "$approf" proto -output="$live.new" "$server_pid" >/dev/null 2>&1 && mv "$live.new" "$live"
        sleep 0.1
    done
    pid=$server_pid server_pid=
    wait "$pid" || give_up "log-parse-buggy: ended with status $?"
    # The fixed one allocates so little that every allocation can be recorded: its figures are exact.
    APPROF_RATE=1 APPROF_OUT=$profiles/parse-fixed.pb.gz LD_PRELOAD=$preload_library \
        "$demo_programs/log-parse-fixed" --lines "$lines" >/dev/null 2>"$profiles/server.err" ||
        give_up "log-parse-fixed: ended with status $?"
    buggy=$profiles/parse-buggy.pb.gz fixed=$profiles/parse-fixed.pb.gz

    show "$approf" top -sample_index=alloc_space "$buggy"
    show "$approf" list -sample_index=alloc_space '^parse_line$' "$buggy"
    site=
    if [ -s "$live" ]; then
        echo
        echo "While it ran, after $(size "$(total alloc_space "$live")") of those, it held:"
        show "$approf" top -sample_index=inuse_space "$live"
        site=$(first_line inuse_space "$live")
        site=${site:-0}
    fi
    show "$approf" diff -sample_index=alloc_space "$buggy" "$fixed"

    slow=$(awk '$1 == "buggy" { print $3 }' "$profiles/parse.table")
    fast=$(awk '$1 == "fixed" { print $3 }' "$profiles/parse.table")
    [ -n "$slow" ] && [ -n "$fast" ] || give_up "log-parse: no times"
    slow_cpu=$(awk '$1 == "buggy" { print $4 }' "$profiles/parse.table")
    fast_cpu=$(awk '$1 == "fixed" { print $4 }' "$profiles/parse.table")
    all=$(total alloc_space "$buggy") all_fixed=$(total alloc_space "$fixed")
    parse=$(flat alloc_space parse_line "$buggy") split=$(cum alloc_space split "$buggy")

    row '' theirs ours
    row --- --- ---
    row lines '6,000,000' "$(grouped "$lines")"
    row 'time' '0.97 s → 0.08 s, 12 times' "$slow s → $fast s, $(ratio "$slow" "$fast") times"
    row 'processor time' '' "$slow_cpu s → $fast_cpu s, $(ratio "$slow_cpu" "$fast_cpu") times"
    row 'alloc_space' '2.87 GB → 513 kB' "$(size "$all") → $(size "$all_fixed")"
    row 'of it the parse function' '2.42 GB' "$(size "$parse")"
    row 'of it the split' '460 MB' "$(size "$split")"
    row 'inuse_space while it runs, largest line' 'a few MB in all' "$([ -z "$site" ] && echo "not seen" || size "${site%% *}")"
    text ''

    claim "lines" "$lines" '>=' 6000000
    claim "bytes allocated, buggy" "$all" '>=' 2e9
    claim "bytes allocated, fixed" "$all_fixed" '<' 1e6
    claim_of_time "time, buggy by fixed" "$(ratio "$slow" "$fast")" '>=' 5
    claim "processor time, buggy by fixed" "$(ratio "$slow_cpu" "$fast_cpu")" '>=' 5
    claim "bytes in use on one line while it runs, buggy" "${site%% *}" '<=' 1e6
}
