#!/bin/sh
# Runs the four stories, sets what they tell beside what this run has measured, and judges what they claim.
#   demo-targets/stories.sh [redis|parse|search|resp]…        (all)
# Each prints its walk and leaves build/stories/NAME.md; all together leave build/stories.md. Ends with 1 when a
# claim does not hold.
#
# FULL=1 runs log-search and resp-stages longer, at the size of the originals. BUSY=1 is for a machine that does
# other things meanwhile: times, requests a second and processor times that should be equal are shown, but only bytes
# and processor times that are a multiple of each other are judged.
set -eu

cd "$(dirname "$0")/.."
tests/install-packages.sh stories
make --no-print-directory -s all demos
BUILD=${BUILD:-build}
PROFILES=${PROFILES:-$BUILD/stories}
. demo-targets/run_lib.sh
. demo-targets/figures.sh
. demo-targets/claims.sh
FULL=${FULL:-}
BUSY=${BUSY:-}

# begin NAME TITLE          opens a story's page
begin() {
    story=$1
    page=$profiles/$story.md
    open_claims "$profiles/$story.claims"
    printf '## %s\n\n' "$2" >"$page"
    say "$2"
}

# row CELL…                 one row of its table
row() {
    printf '| %s |\n' "$(printf '%s | ' "$@" | sed 's/ | $//')" >>"$page"
}

# text LINE…                lines between
text() {
    printf '%s\n' "$@" >>"$page"
}

for story in redis parse search resp; do
    . "demo-targets/story_$story.sh"
done

wanted=${*:-redis parse search resp}
started=$(date +%s)
for name in $wanted; do
    case $name in
    redis | parse | search | resp)
        "story_$name"
        claims_table >>"$page"
        ;;
    *) give_up "$name: no such story (redis, parse, search, resp)" ;;
    esac
done

set -- # the claims of this run
for name in $wanted; do
    set -- "$@" "$profiles/$name.claims"
done
if [ "$wanted" = 'redis parse search resp' ]; then
    {
        printf '# Four stories, theirs beside ours\n\n'
        printf 'Theirs is what was told of the real services. Ours is this run: %s cores, %s s%s.\n' \
            "$(nproc)" "$(($(date +%s) - started))" "$([ -z "$FULL" ] || echo ', at the size of the originals')"
        printf 'Sizes are in units of 1024, as pprof shows them. %s\n\n' "$(claims_summary "$@")"
        cat "$profiles/redis.md" "$profiles/parse.md" "$profiles/search.md" "$profiles/resp.md"
    } >"$BUILD/stories.md"
    say "$BUILD/stories.md has it all; the profiles are in $profiles"
else
    for name in $wanted; do
        echo
        cat "$profiles/$name.md"
    done
fi
judge_claims "$@"
