# claims.sh - what a story claims, and whether it held in this run. Sourced by the stories.
# A claim is a line of a file: text, wanted, measured, verdict, with a bar between them.
# shellcheck shell=sh

# open_claims FILE                        where the next ones go
open_claims() {
    claims_file=$1
    : >"$claims_file"
}

# claim TEXT MEASURED OPERATOR LIMIT      compares two numbers; the limit may be arithmetic
claim() {
    limit=$(calc "$4" %.6g)
    verdict='DOES NOT HOLD'
    if awk "BEGIN { exit !(\"$2\" != \"\" && (${2:-0}) $3 $limit) }"; then
        verdict=holds
    fi
    note_claim "$1" "$2" "$3 $limit"
}

# claim_of_time TEXT MEASURED OPERATOR LIMIT   the same for what other work on the machine changes
claim_of_time() {
    if [ -z "${BUSY:-}" ]; then
        claim "$@"
        return
    fi
    verdict='not judged (BUSY)'
    note_claim "$1" "$2" "$3 $(calc "$4" %.6g)"
}

note_claim() {
    printf '%s|%s|%s|%s\n' "$1" "$3" "$2" "$verdict" >>"$claims_file"
    printf '  %s: %s, wanted %s: %s\n' "$1" "$2" "$3" "$verdict"
}

# claims_table                            those of the story that was told last, for its page
claims_table() {
    printf '| claim | wanted | measured | |\n|---|---|---|---|\n'
    sed -e 's/>=/≥/; s/<=/≤/; s/==/=/; s/|/ | /g; s/^/| /; s/$/ |/' "$claims_file"
    echo
}

# claims_summary FILE…                    one sentence
claims_summary() {
    cat "$@" | awk -F'|' '{ n++ } $4 == "holds" { held++ } $4 ~ /^not judged/ { open++ }
        END { printf "Of %d claims %d hold%s.", n, held, open ? ", " open " were not judged" : "" }'
}

# judge_claims FILE…                      names those that failed; false when there is one, or no claim at all
judge_claims() {
    echo
    claims_summary "$@"
    echo
    cat "$@" | awk -F'|' '
        $4 == "DOES NOT HOLD" { print "approf: stories: does not hold: " $1 ": " $3 ", wanted " $2 > "/dev/stderr"; failed = 1 }
        END { exit failed || !NR }'
}
