# terminal-lib.sh - a terminal of 80x24 in tmux, with a shell in it, for the tests of what is drawn on one. Source it behind lib.sh.
# shellcheck shell=bash
export TMUX_TMPDIR=$TEST_TMP
unset TMUX
terminal() { tmux -f /dev/null -L live "$@"; }
screen() { terminal capture-pane -p -t live; }
shows() { screen | has -E -- "$1"; }
# want REGEXP TEXT…   the screen shows it, within a while
want() {
    wait_for 60 shows "$1" || {
        bad "${*:2}: the screen does not show /$1/:"
        screen
    }
}
key() { terminal send-keys -t live "$@"; }
# back TEXT   the shell has its terminal as it was
typed=0
back() {
    key "stty -g >after; echo typed $((++typed))" Enter
    want "^typed $typed" "$1: the shell types as before"
    same before after "$1: the terminal's settings"
}

terminal new-session -d -s live -x 80 -y 24 "env PS1='prompt> ' bash --norc -i" || fail "no terminal"
also_at_end 'terminal kill-server 2>/dev/null'
want '^prompt>' "the shell"
key "stty -g >before; echo hello" Enter
want '^hello' "the shell"
