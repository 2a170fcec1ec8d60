#!/bin/bash
# time: 120
# quick
# needs: zsh fish
# Manual pages and completion have what help has, and their readers take them.
. "$(dirname "$0")/../lib.sh"

mkdir man
"$APPROF_BIN" generate man man || fail "exit status $?"
"$APPROF_BIN" help >help.txt
too_wide() { awk -v what="$1" 'length > 80 { print what ": " $0 }' "$2"; }
too_wide help help.txt >wide
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' help.txt)
[ "$(wc -w <<<"$commands")" -gt 20 ] || fail "help lists no commands"
for command in $commands; do
    page=man/approf-$command.1
    [ -s "$page" ] || { bad "no page of $command"; continue; }
    contains man/approf.1 "approf..$command "
    # Every option of help, and no other.
    "$APPROF_BIN" help "$command" >command.txt
    too_wide "help $command" command.txt >>wide
    sed -n 's/^  -\([a-z][-a-z_0-9]*\).*/\1/p' command.txt | sort -u >want
    sed -n 's/^\\fB\\-\([^\\]*\(\\-[^\\]*\)*\)\\fR.*/\1/p' "$page" | sed 's/\\-/-/g' | sort -u >got
    cmp -s want got || { bad "$page has other options than help"; diff want got | head -5; }
done
[ -s wide ] && bad "lines of help wider than a terminal: $(head -5 wide)"
[ "$(ls man | wc -l)" -eq $(($(wc -w <<<"$commands") + 1)) ] || bad "pages of commands that help does not list"
if command -v man >/dev/null; then
    LC_ALL=C MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l man/approf-top.1 >/dev/null 2>warnings
    [ ! -s warnings ] || { bad "roff has warnings"; head -5 warnings; }
fi

"$APPROF_BIN" generate bash >approf.bash && bash -n approf.bash || fail "bash does not take the completion"
complete_words() {
    (
        . ./approf.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _approf 2>/dev/null
        printf '%s\n' "${COMPREPLY[@]}"
    )
}
[ "$(complete_words approf to | sort | xargs)" = "top topproto" ] || bad "approf to: $(complete_words approf to | xargs)"
[ "$(complete_words approf top -nodec)" = "-nodecount=" ] || bad "approf top -nodec: $(complete_words approf top -nodec | xargs)"
[ "$(complete_words approf top -color = al)" = always ] || bad "approf top -color=al: $(complete_words approf top -color = al | xargs)"
[ -z "$(complete_words approf gate -nodec)" ] || bad "gate has no -nodecount"
[ -z "$(complete_words approf top some-file)" ] || bad "a file was completed to something else"
"$APPROF_BIN" generate zsh >_approf || fail "exit status $?"
contains _approf "'top:"
zsh -n _approf || bad "zsh does not take the completion"
# What it hands to zsh's own functions.
zsh_asks() { # WORD...
    zsh -f -c '_arguments() { print -l -- "$@" }; _describe() { print -l -- "${(P@)2}" }; _files() { print files }
        words=("$@") CURRENT=$#; source ./_approf' zsh "$@"
}
zsh_asks approf '' | has '^top:what allocates' || bad "zsh: no commands"
zsh_asks approf '' | has '^files$' || bad "zsh: no files where a source may stand"
zsh_asks approf top -nodec | has '^-nodecount=\[most rows' || bad "zsh: top has no -nodecount"
zsh_asks approf gate -nodec | has '^-nodecount' && bad "zsh: gate has a -nodecount"
zsh_asks approf top -color | has ':(auto always never)$' || bad "zsh: no values of -color"
zsh_asks approf -top -cu | has '^-cum\[' || bad "zsh: no options in pprof's form"
"$APPROF_BIN" generate fish >approf.fish || fail "exit status $?"
contains approf.fish "-o 'nodecount' -r"
fish --no-execute approf.fish || bad "fish does not take the completion"
fish_completes() { fish --no-config -c 'source approf.fish; complete -C "$argv[1]"' -- "$1"; }
fish_completes 'approf to' | has '^top' || bad "fish: no commands"
fish_completes 'approf top -nodec' | has '^-nodecount' || bad "fish: top has no -nodecount"
fish_completes 'approf gate -nodec' | has '^-nodecount' && bad "fish: gate has a -nodecount"
fish_completes 'approf top -color al' | has '^always' || bad "fish: no values of -color"
"$APPROF_BIN" generate man nowhere >out 2>err && bad "wrote into no folder"
contains err "hint:"
