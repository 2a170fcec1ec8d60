#!/bin/sh
# Runs the four stories and sets what they tell beside what this run has measured.
#   demo-targets/stories.sh [redis|parse|search|resp]…        (all)
# Each prints its walk and leaves build/stories/NAME.md; all together leave build/stories.md.
# FULL=1 runs them at the size of the originals, which takes several minutes each.
set -eu

cd "$(dirname "$0")/.."
tests/install-packages.sh stories
make --no-print-directory -s all demos
BUILD=${BUILD:-build}
PROFILES=${PROFILES:-$BUILD/stories}
. demo-targets/run_lib.sh
. demo-targets/figures.sh
FULL=${FULL:-}

# begin NAME TITLE          opens a story's page
begin() {
    page=$profiles/$1.md
    figures_file=$profiles/$1.figures
    : >"$figures_file"
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
for story in $wanted; do
    case $story in
    redis | parse | search | resp) "story_$story" ;;
    *) give_up "$story: no such story (redis, parse, search, resp)" ;;
    esac
done

if [ $# -eq 0 ]; then
    {
        printf '# Four stories, theirs beside ours\n\n'
        printf 'Theirs is what was told of the real services. Ours is this run: %s cores, %s.\n' \
            "$(nproc)" "$([ -n "$FULL" ] && echo 'full size' || echo 'a size for two cores')"
        printf 'Sizes are in units of 1024, as pprof shows them.\n\n'
        cat "$profiles/redis.md" "$profiles/parse.md" "$profiles/search.md" "$profiles/resp.md"
    } >"$BUILD/stories.md"
    say "$BUILD/stories.md has it all; the profiles are in $profiles"
else
    for story in $wanted; do
        echo
        cat "$profiles/$story.md"
    done
fi
