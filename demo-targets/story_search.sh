# story_search.sh - a compile in a loop and a list that never shrinks. Sourced by stories.sh.
# shellcheck shell=sh

# ask COUNT              sends COUNT requests, ten a second at most; adds what came to $received
ask() {
    received=0
    i=0
    while [ $i -lt "$1" ]; do
        got=$(curl -s -o /dev/null -w '%{size_download}' \
            "http://127.0.0.1:$server_port/search?q=ERROR.*eu-%28west%7Cnorth%29") ||
            give_up "log-search: no answer"
        received=$((received + got))
        i=$((i + 1))
        sleep 0.1
    done
}

resident_kb() {
    awk '/^VmRSS/ { print $2 }' "/proc/$server_pid/status"
}

# watch WHICH COUNT      two profiles of the running server with COUNT requests between; sets growth,
#                        line, received and the resident sizes
watch() {
    # Bodies are far larger than this rate, so each of them is seen.
    APPROF_RATE=32768 start_server "$profiles/search-leak-$1.pb.gz" "$demo_programs/log-search-$1"
    ask 60
    before=$(resident_kb)
    show "$approf" proto -output="$profiles/search-$1-first.pb.gz" "$server_pid"
    ask "$2"
    after=$(resident_kb)
    show "$approf" proto -output="$profiles/search-$1-second.pb.gz" "$server_pid"
    stop_server
    show "$approf" top -sample_index=inuse_space -base="$profiles/search-$1-first.pb.gz" "$profiles/search-$1-second.pb.gz"
    growth=$(total inuse_space "$profiles/search-$1-second.pb.gz" -base="$profiles/search-$1-first.pb.gz")
    line=$(first_line inuse_space "$profiles/search-$1-second.pb.gz" -base="$profiles/search-$1-first.pb.gz")
}

story_search() {
    seconds=${SEARCH_SECONDS:-$([ -n "$FULL" ] && echo 30 || echo 8)}
    requests=${SEARCH_REQUESTS:-$([ -n "$FULL" ] && echo 600 || echo 120)}
    begin search "log-search: a compile in a loop and a list that never shrinks"
    for which in buggy fixed; do
        echo
        echo "The $which service under wrk:"
        start_server "$profiles/search-$which.pb.gz" "$demo_programs/log-search-$which"
        CSV=$profiles/search-$which.csv show demo-targets/log-search/load.sh "$server_port" "$seconds"
        printf '\nA bad pattern, "(a", gets: '
        status=$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$server_port/search?q=%28a" || true)
        echo "$([ "$status" = 000 ] && echo 'no answer' || echo "$status")"
        eval "status_$which=$status"
        stop_server
    done
    buggy=$profiles/search-buggy.pb.gz fixed=$profiles/search-fixed.pb.gz
    show "$approf" top -sample_index=alloc_space -cum -nodecount=12 "$buggy"
    show "$approf" top -sample_index=alloc_space -cum -nodecount=8 "$fixed"
    all=$(total alloc_space "$buggy")
    compile=$(cum alloc_space pattern_compile "$buggy")
    # glibc builds an automaton when a pattern first matches: compiled anew, it builds it anew.
    match=$(calc "$(cum alloc_space regexec "$buggy") + $(cum alloc_space __GI___regexec "$buggy")" %.0f)

    say "Where the memory goes: two profiles of the running service, $requests requests apart"
    watch buggy "$requests"
    buggy_growth=$growth buggy_line=$line buggy_received=$received
    buggy_memory="$(size $((before * 1024))) → $(size $((after * 1024)))"
    show "$approf" list -sample_index=inuse_space -base="$profiles/search-buggy-first.pb.gz" '^handle_search$' \
        "$profiles/search-buggy-second.pb.gz"
    watch fixed "$requests"
    fixed_memory="$(size $((before * 1024))) → $(size $((after * 1024)))"

    rps=$(cut -d, -f4 "$profiles/search-buggy.csv") rps_fixed=$(cut -d, -f4 "$profiles/search-fixed.csv")
    row '' theirs ours
    row --- --- ---
    row 'requests/s' '96.7 → 1,214.8, 12.6 times' "$rps → $rps_fixed, $(ratio "$rps_fixed" "$rps") times"
    row 'mean, ms' '41.25 → 3.24' "$(cut -d, -f5 "$profiles/search-buggy.csv") → $(cut -d, -f5 "$profiles/search-fixed.csv")"
    row 'alloc_space' '16.02 GB, almost all the compile' "$(size "$all"), $(share "$compile" "$all")% the compile, $(share "$match" "$all")% the first match of each compiled pattern"
    row 'a bad pattern' 'dropped → 400' "$([ "$status_buggy" = 000 ] && echo dropped || echo "$status_buggy") → $status_fixed"
    row 'resident while it is asked' '5 MiB → 399 MiB in a minute' "$buggy_memory in $requests requests"
    row 'growth between two profiles' '179.18 MB' "$(size "$buggy_growth") (clients received $(size "$buggy_received"))"
    row 'of it on one line' '177.41 MB' "$(size "${buggy_line%% *}"), $(share "${buggy_line%% *}" "$buggy_growth")%: \`${buggy_line##*/}\`"
    row 'the same when fixed' '' "$(size "$growth")"
    row 'resident when fixed' 'peak 96 MiB, 70 MiB at the end' "$fixed_memory"
    text ''

    figure compile_percent "$(share "$compile + $match" "$all")"
    figure faster "$(ratio "$rps_fixed" "$rps")"
    figure bad_pattern "$status_fixed"
    figure line_percent "$(share "${buggy_line%% *}" "$buggy_growth")"
    figure growth_off_percent "$(share "$buggy_growth - $buggy_received" "$buggy_received")"
    figure fixed_growth_percent "$(share "$growth" "$buggy_growth")"
}
