# real-lib.sh - programs that nobody here wrote, with and without the preload. Source it after lib.sh.
# shellcheck shell=bash

# The short programs here allocate too little for the default rate to see much.
RATE=${RATE:-4096}

# both NAME CMD ARGS…   Runs CMD plainly and under the preload: output, errors and exit status must be the same,
#                       and each process must leave a profile that readers take. Profiles: profiles/NAME/.
#                       A function `normalize`, if there is one, filters what differs from run to run anyway.
both() {
    local name=$1 plain_status status
    shift
    "$@" >"$name.plain.out" 2>"$name.plain.err" </dev/null
    plain_status=$?
    mkdir -p "profiles/$name"
    APPROF_RATE=$RATE APPROF_OUT=$PWD/profiles/$name/%e.%p.pb.gz \
        preload "$@" >"$name.out" 2>"$name.err" </dev/null
    status=$?
    equal "$status" "$plain_status" "$name: exit status under the preload"
    compare_outputs "$name"
    profiles_readable "$name"
}

compare_outputs() {
    local file
    for file in out err; do
        if declare -F normalize >/dev/null; then
            normalize <"$1.plain.$file" >"$1.plain.$file.n"
            normalize <"$1.$file" >"$1.$file.n"
            same "$1.plain.$file.n" "$1.$file.n" "$1: std$file"
        else
            same "$1.plain.$file" "$1.$file" "$1: std$file"
        fi
    done
}

# profiles_readable NAME [MAX]   every one (or MAX of them) is read without a complaint, and together they saw something
profiles_readable() {
    local files=("profiles/$1"/*.pb.gz) max=${2:-6}
    if [ ! -e "${files[0]}" ]; then
        bad "$1: no profile was written"
        return
    fi
    readable "${files[@]:0:$max}"
    [ "$(total alloc_space "${files[@]}")" -gt 0 ] || bad "$1: the profiles are empty"
    if find "profiles/$1" ! -name '*.pb.gz' -type f | grep .; then
        bad "$1: left-over files beside the profiles (listed above)"
    fi
}
