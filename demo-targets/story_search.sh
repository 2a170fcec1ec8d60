# story_search.sh - a compile in a loop and a list that never shrinks. Sourced by stories.sh.
# shellcheck shell=sh

# ask COUNT SECONDS      sends at least COUNT requests, and goes on until SECONDS are over, ten a second at most; leaves
# how many there were in $asked and what came in $received
ask() {
    received=0 asked=0
    until_then=$(($(date +%s) + $2))
    while [ $asked -lt "$1" ] || [ "$(date +%s)" -lt $until_then ]; do
        got=$(curl -s -o /dev/null -w '%{size_download}' \
            "http://127.0.0.1:$server_port/search?q=ERROR.*eu-%28west%7Cnorth%29") ||
            give_up "log-search: no answer"
        received=$((received + got))
        asked=$((asked + 1))
        sleep 0.1
    done
}

resident_kb() {
    awk '/^VmRSS/ { print $2 }' "/proc/$server_pid/status"
}

# watch WHICH SECONDS    two profiles of the running server, SECONDS apart, asked all the while; sets growth, line, received,
# asked and the resident sizes
watch() {
    # Bodies are far larger than this rate, so each of them is seen.
    APPROF_RATE=32768 start_server "$profiles/search-leak-$1.pb.gz" "$demo_programs/log-search-$1"
    ask "$([ "$1" = fixed ] && echo 60 || echo 10)" 0 # the list of the fixed one is full then
    before=$(resident_kb)
    show "$approf" proto -output="$profiles/search-$1-first.pb.gz" "$server_pid"
    ask 20 "$2"
    after=$(resident_kb)
    show "$approf" proto -output="$profiles/search-$1-second.pb.gz" "$server_pid"
    stop_server
    show "$approf" top -sample_index=inuse_space -base="$profiles/search-$1-first.pb.gz" "$profiles/search-$1-second.pb.gz"
    growth=$(total inuse_space "$profiles/search-$1-second.pb.gz" -base="$profiles/search-$1-first.pb.gz")
    line=$(first_line inuse_space "$profiles/search-$1-second.pb.gz" -base="$profiles/search-$1-first.pb.gz")
}

story_search() {
    seconds=${SEARCH_SECONDS:-$([ -n "$FULL" ] && echo 30 || echo 8)}
    apart=${SEARCH_APART:-60}
    begin search "log-search: a compile in a loop and a list that never shrinks"
    for which in buggy fixed; do
        echo
        echo "The $which service under wrk:"
        start_server "$profiles/search-$which.pb.gz" "$demo_programs/log-search-$which"
        before=$(cpu_ns "$server_pid")
        CSV=$profiles/search-$which.csv show demo-targets/log-search/load.sh "$server_port" "$seconds"
        eval "cpu_$which=$(calc "($(cpu_ns "$server_pid") - $before) / 1e6 / $(cut -d, -f1 "$profiles/search-$which.csv")" %.3f)"
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

    say "Where the memory goes: two profiles of the running service, $apart s apart"
    watch buggy "$apart"
    buggy_growth=$growth buggy_line=$line buggy_received=$received buggy_asked=$asked
    buggy_memory="$(size $((before * 1024))) → $(size $((after * 1024)))"
    show "$approf" list -sample_index=inuse_space -base="$profiles/search-buggy-first.pb.gz" '^handle_search$' \
        "$profiles/search-buggy-second.pb.gz"
    watch fixed "$apart"
    fixed_memory="$(size $((before * 1024))) → $(size $((after * 1024)))"

    rps=$(cut -d, -f4 "$profiles/search-buggy.csv") rps_fixed=$(cut -d, -f4 "$profiles/search-fixed.csv")
    row '' theirs ours
    row --- --- ---
    row 'requests/s' '96.7 → 1,214.8, 12.6 times' "$rps → $rps_fixed, $(ratio "$rps_fixed" "$rps") times"
    row 'processor time a request, ms' '' "$cpu_buggy → $cpu_fixed, $(ratio "$cpu_buggy" "$cpu_fixed") times"
    row 'mean, ms' '41.25 → 3.24' "$(cut -d, -f5 "$profiles/search-buggy.csv") → $(cut -d, -f5 "$profiles/search-fixed.csv")"
    row 'alloc_space' '16.02 GB, almost all the compile' "$(size "$all"), $(share "$compile" "$all")% the compile, $(share "$match" "$all")% the first match of each compiled pattern"
    row 'a bad pattern' 'dropped → 400' "$([ "$status_buggy" = 000 ] && echo dropped || echo "$status_buggy") → $status_fixed"
    row 'resident while it is asked' '5 MiB → 399 MiB in a minute' "$buggy_memory in $buggy_asked requests"
    row 'growth between two profiles' '179.18 MB' "$(size "$buggy_growth") (clients received $(size "$buggy_received"))"
    row 'of it on one line' '177.41 MB' "$(size "${buggy_line%% *}"), $(share "${buggy_line%% *}" "$buggy_growth")%: \`${buggy_line##*/}\`"
    row 'the same when fixed' '' "$(size "$growth") in $asked requests"
    row 'resident when fixed' 'peak 96 MiB, 70 MiB at the end' "$fixed_memory"
    text ''

    claim "percent of alloc_space in compiling and first matching, buggy" "$(share "$compile + $match" "$all")" '>=' 95
    claim_of_time "requests/s, fixed by buggy" "$(ratio "$rps_fixed" "$rps")" '>=' 8
    claim "server's processor time a request, buggy by fixed" "$(ratio "$cpu_buggy" "$cpu_fixed")" '>=' 8
    claim "status of a bad pattern, fixed" "$status_fixed" '==' 400
    claim "percent of the growth on one line, buggy" "$(share "${buggy_line%% *}" "$buggy_growth")" '>=' 95
    claim "growth beside what clients received, percent off" "$(off "$buggy_growth" "$buggy_received")" '<=' 5
    claim "growth when fixed, percent of the buggy one's" "$(share "$growth" "$buggy_growth")" '<' 10
}
