# story_redis.sh - one line that allocates hundreds of gigabytes. Sourced by stories.sh.
# shellcheck shell=sh

# column_of COMMAND NUMBER FILE     a figure of load.sh's table (2 requests, 3 seconds, 4 rps)
column_of() {
    awk -F, -v c="$1" -v n="$2" '$1 == c { print $n }' "$3"
}

seconds_of() {
    awk -F, 'NR > 1 { sum += $3 } END { printf "%.2f", sum }' "$1"
}

story_redis() {
    requests=${REQUESTS:-$([ -n "$FULL" ] && echo 300000 || echo 60000)}
    begin redis "redis-clone: one line that allocates far more than it holds"
    for which in buggy fixed; do
        echo
        echo "The $which server under redis-benchmark, $requests requests of each kind:"
        start_server "$profiles/redis-$which.pb.gz" "$demo_programs/redis-clone-$which"
        CSV=$profiles/redis-$which.csv show demo-targets/redis-clone/load.sh "$server_port" "$requests"
        stop_server
    done
    buggy=$profiles/redis-buggy.pb.gz fixed=$profiles/redis-fixed.pb.gz

    show "$approf" top -sample_index=alloc_space -nodecount=8 "$buggy"
    show "$approf" top -sample_index=inuse_space -nodecount=8 "$buggy"
    show "$approf" list -sample_index=alloc_space '^store_lpush$' "$buggy"
    show "$approf" top -sample_index=alloc_space -nodecount=10 "$fixed"
    show "$approf" diff -sample_index=alloc_space -nodecount=8 "$buggy" "$fixed"

    lpush=$(column_of LPUSH 4 "$profiles/redis-buggy.csv") rpush=$(column_of RPUSH 4 "$profiles/redis-buggy.csv")
    lpush_fixed=$(column_of LPUSH 4 "$profiles/redis-fixed.csv")
    rpush_fixed=$(column_of RPUSH 4 "$profiles/redis-fixed.csv")
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
    row 'LPUSH after the fix, requests/s' '140,581' "$(grouped "$lpush_fixed") (RPUSH $(grouped "$rpush_fixed"))"
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
    text ''

    figure requests "$requests"
    figure lpush_slower "$(ratio "$rpush" "$lpush")"
    figure lpush_fixed_of_rpush "$(calc "$lpush_fixed / $rpush_fixed")"
    figure alloc_bytes "$all"
    figure alloc_fall "$(ratio "$all" "$all_fixed")"
    figure lpush_alloc_percent "$(share "$one" "$all")"
    figure lpush_inuse_percent "$(share "$held_lpush" "$held")"
    figure line_percent "$(share "${line%% *}" "$one")"
    figure arithmetic_off_percent "$(share "$one - $arithmetic" "$arithmetic")"
}
