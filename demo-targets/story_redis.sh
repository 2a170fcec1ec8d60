# story_redis.sh - one line that allocates hundreds of gigabytes. Sourced by stories.sh.
# shellcheck shell=sh

# column_of COMMAND NUMBER FILE     a figure of load.sh's table (2 requests, 3 seconds, 4 rps, 8 cpu_us)
column_of() {
    awk -F, -v c="$1" -v n="$2" '$1 == c { print $n }' "$3"
}

seconds_of() {
    awk -F, 'NR > 1 { sum += $3 } END { printf "%.2f", sum }' "$1"
}

# compare_pushes ROUNDS             on the running server, in turn: the least processor time in ns that 300,000 RPUSH and
# as many LPUSH took, and the most requests/s. What else the machine does only adds to the one and takes from the
# other.
compare_pushes() {
    cpu_rpush='' cpu_lpush='' best_rpush=0 best_lpush=0
    for round in $(seq "$1"); do
        for push in rpush lpush; do
            redis-cli -p "$server_port" del mylist >/dev/null
            before=$(cpu_ns "$server_pid")
            rps=$(redis-benchmark -p "$server_port" -t $push -P 16 -c 100 -n 300000 -d 128 --csv | awk -F'","' 'NR == 2 { print int($2) }')
            spent=$(($(cpu_ns "$server_pid") - before))
            eval "least=\$cpu_$push most=\$best_$push"
            [ -n "$least" ] && [ "$least" -le "$spent" ] || eval "cpu_$push=$spent"
            [ "$most" -ge "$rps" ] || eval "best_$push=$rps"
        done
    done
}

story_redis() {
    requests=${REQUESTS:-300000}
    begin redis "redis-clone: one line that allocates far more than it holds"
    for which in buggy fixed; do
        echo
        echo "The $which server under redis-benchmark, $requests requests of each kind:"
        start_server "$profiles/redis-$which.pb.gz" "$demo_programs/redis-clone-$which"
        CSV=$profiles/redis-$which.csv SERVER=$server_pid show demo-targets/redis-clone/load.sh "$server_port" "$requests"
        stop_server
    done
    buggy=$profiles/redis-buggy.pb.gz fixed=$profiles/redis-fixed.pb.gz

    show "$approf" top -sample_index=alloc_space -nodecount=8 "$buggy"
    show "$approf" top -sample_index=inuse_space -nodecount=8 "$buggy"
    show "$approf" list -sample_index=alloc_space '^store_lpush$' "$buggy"
    show "$approf" top -sample_index=alloc_space -nodecount=10 "$fixed"
    show "$approf" diff -sample_index=alloc_space -nodecount=8 "$buggy" "$fixed"

    echo
    echo "The fixed server once more, by itself: RPUSH and LPUSH in turn, 300,000 each time."
    start_server - "$demo_programs/redis-clone-fixed"
    compare_pushes 5
    stop_server

    lpush=$(column_of LPUSH 4 "$profiles/redis-buggy.csv") rpush=$(column_of RPUSH 4 "$profiles/redis-buggy.csv")
    lpush_us=$(column_of LPUSH 8 "$profiles/redis-buggy.csv") rpush_us=$(column_of RPUSH 8 "$profiles/redis-buggy.csv")
    all=$(total alloc_space "$buggy") all_fixed=$(total alloc_space "$fixed")
    one=$(flat alloc_space store_lpush "$buggy")
    held=$(total inuse_space "$buggy") held_lpush=$(flat inuse_space store_lpush "$buggy")
    line=$(first_line alloc_space "$buggy" -focus='^store_lpush$')
    first_fixed=$("$approf" top -sample_index=alloc_space "$fixed" | awk 'rows { print $6, $2; exit } $1 == "flat" { rows = 1 }')
    arithmetic=$(calc "8 * $requests * ($requests + 1)" %.0f)

    row '' theirs ours
    row --- --- ---
    row 'requests of each kind' '300,000' "$(grouped "$requests")"
    row 'LPUSH, requests/s' '4,196' "$(grouped "$lpush")"
    row 'RPUSH, requests/s' '140,845' "$(grouped "$rpush")"
    row 'LPUSH slower than RPUSH' '33.6 times' "$(ratio "$rpush" "$lpush") times"
    row 'the same in processor time of the server' '' "$lpush_us µs beside $rpush_us µs, $(ratio "$lpush_us" "$rpush_us") times"
    row 'LPUSH after the fix, requests/s' '140,581' "$(grouped "$best_lpush") (RPUSH $(grouped "$best_rpush"))"
    row 'the same in processor time' '' "$(calc "$cpu_lpush / $cpu_rpush") of RPUSH's"
    row 'the whole suite' '87.21 s → 17.85 s' \
        "$(seconds_of "$profiles/redis-buggy.csv") s → $(seconds_of "$profiles/redis-fixed.csv") s"
    row 'alloc_space' '698.5 GB' "$(size "$all")"
    row 'of it LPUSH' '671.8 GB, 96.17%' "$(size "$one"), $(share "$one" "$all")%"
    row 'by arithmetic, 16·n·(n+1)/2' '670.6 GB' "$(size "$arithmetic") ($(share "$one - $arithmetic" "$arithmetic")% off)"
    row 'of it on one line' '671.78 GB' "$(share "${line%% *}" "$one")%: \`${line##*/}\`"
    row 'inuse_space' '249 MB' "$(size "$held")"
    row 'of it LPUSH' '4.58 MB, 1.84%' "$(size "$held_lpush"), $(share "$held_lpush" "$held")%"
    row 'alloc_space after the fix' '26.8 GB' "$(size "$all_fixed"), $(ratio "$all" "$all_fixed") times less"
    row 'first after the fix' 'the reply builder, 65%' "\`${first_fixed% *}\`, ${first_fixed#* }"
    text '' 'RPUSH and LPUSH are sent sixteen at a time, so that they are compared and not the socket twice.' ''

    # What grows with the square of the requests is claimed for 300,000; of fewer, less in proportion.
    part=$(calc "$requests < 300000 ? $requests / 300000 : 1" %.4f)
    claim_of_time "buggy: RPUSH's requests/s by LPUSH's" "$(ratio "$rpush" "$lpush")" '>=' "20 * $part"
    claim "buggy: server's processor time, LPUSH by RPUSH" "$(ratio "$lpush_us" "$rpush_us")" '>=' "20 * $part"
    claim_of_time "fixed: LPUSH's requests/s by RPUSH's" "$(calc "$best_lpush / $best_rpush")" '>=' 0.85
    claim_of_time "fixed: server's processor time, LPUSH by RPUSH" "$(calc "$cpu_lpush / $cpu_rpush")" '<=' 1.15
    claim "bytes allocated, before by after" "$(ratio "$all" "$all_fixed")" '>=' "20 * $part"
    claim "bytes that LPUSH allocated, buggy" "$one" '>=' "600e9 * $part * $part"
    claim "the same beside 16*n*(n+1)/2, percent off" "$(off "$one" "$arithmetic")" '<=' "1 / $part"
    claim "LPUSH's percent of alloc_space, buggy" "$(share "$one" "$all")" '>=' "100 - 5 / $part"
    claim "LPUSH's percent of inuse_space, buggy" "$(share "$held_lpush" "$held")" '<=' "5 / $part"
    claim "percent of LPUSH's bytes on one line" "$(share "${line%% *}" "$one")" '>=' 99
}
