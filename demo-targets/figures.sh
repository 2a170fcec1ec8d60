# figures.sh - numbers out of profiles, and their arithmetic. Sourced by the stories; needs $approf.
# All sizes are bytes until they are shown.
# shellcheck shell=sh

# total TYPE FILE [OPTION…]           the sum of a sample type
total() {
    type=$1
    shift
    "$approf" top -unit=B -sample_index="$type" -nodecount=1 "$@" |
        sed -n 's/^Showing nodes.* of \(-\{0,1\}[0-9.]*\)B\{0,1\} total.*/\1/p'
}

# flat TYPE FUNCTION FILE [OPTION…]   what a function has by itself; cum: with what it calls
flat() {
    column 1 "$@"
}
cum() {
    column 4 "$@"
}
column() {
    number=$1 type=$2 function=$3
    shift 3
    "$approf" top -unit=B -sample_index="$type" -nodefraction=0 -nodecount=1000000 "$@" |
        awk -v n="$number" -v f="$function" '$6 == f { sub(/B$/, "", $n); sum += $n } END { printf "%.0f\n", sum }'
}

# first_line TYPE FILE [OPTION…]      the source line with most, as "BYTES FUNCTION FILE:LINE"
first_line() {
    type=$1
    shift
    "$approf" top -lines -unit=B -sample_index="$type" -nodefraction=0 "$@" |
        awk 'rows { sub(/B$/, "", $1); print $1, $6, $7; exit } $1 == "flat" { rows = 1 }'
}

# calc EXPRESSION [FORMAT]
calc() {
    awk "BEGIN { printf \"${2:-%.2f}\", ($1) }"
}

# share PART WHOLE                    in percent; ratio A B: how often B goes into A
share() {
    calc "($2) ? 100 * ($1) / ($2) : 0" %.2f
}
ratio() {
    calc "($2) ? ($1) / ($2) : 0" %.1f
}

# off A B                             how far A is from B, in percent of B, never negative
off() {
    calc "100 * (($1) > ($2) ? ($1) - ($2) : ($2) - ($1)) / ($2)" %.2f
}

# size BYTES                          as pprof shows it, in units of 1024
size() {
    awk -v n="$1" 'BEGIN {
        split("B kB MB GB TB", unit, " ")
        for (i = 1; (n >= 1024 || n <= -1024) && i < 5; i++) n /= 1024
        printf i == 1 ? "%d %s" : "%.2f %s", n, unit[i] }'
}

# grouped NUMBER                      70774 as 70,774
grouped() {
    printf '%.0f' "$1" | sed -e ':a' -e 's/^\(-\{0,1\}[0-9]\{1,\}\)\([0-9]\{3\}\)/\1,\2/;ta'
}
