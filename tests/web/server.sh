#!/bin/bash
# time: 120
# needs: curl python3
# The web page's server: whom it answers, and what.
. "$(dirname "$0")/../lib.sh"

mkdir -p work/in && cd work/in || exit 1
"$PYTHON" "$TOP/tests/web/web_profiles.py" || fail "profiles could not be made"

"$APPROF_BIN" web -no_browser plain.pb.gz >address.out 2>server.err &
started_pids+=($!)
server=$!
wait_for 50 grep -q http address.out || fail "no address: $(cat server.err)"
address=$(sed -n 's/.*\(http:.*\)/\1/p' address.out)
port=${address##*:}
port=${port%/}
case $address in http://127.0.0.1:*/) ;; *) bad "not on loopback: $address" ;; esac

# status CURL-ARGUMENTS…
status() {
    curl -s -o body.out -w '%{http_code}' -D headers.out "$@"
}
equal "$(status "$address")" 200 "the page"
contains headers.out "^Content-Security-Policy: default-src 'none'; script-src 'nonce-[0-9a-f]{32}'" "policy"
contains headers.out '^Cache-Control: no-store' "not kept"
contains body.out '^<!doctype html>' "a page"
nonce=$(sed -n 's/.*<style nonce="\([0-9a-f]*\)">.*/\1/p' body.out)
contains headers.out "$nonce" "one nonce"
status "$address" >/dev/null
lacks body.out "$nonce" "a nonce of its own for every page"
equal "$(status "${address}data")" 200 "the profile"
"$PYTHON" -c 'import json, sys; json.loads(open("body.out", "rb").read().split(b"\0")[0])' || bad "the profile does not begin with JSON"
equal "$(status "${address}data?reload=1")" 200 "the profile anew"
equal "$(status -H "Host: localhost:$port" "$address")" 200 "by the name localhost"

equal "$(status -H 'Host: rebound.example' "$address")" 403 "another host's name"
equal "$(status -H 'Sec-Fetch-Site: cross-site' "${address}data")" 403 "another page"
equal "$(status -X POST "$address")" 405 "POST"
for path in etc/passwd ../etc/passwd src/file_0.c data/x '%2e%2e/plain.pb.gz'; do
    equal "$(status --path-as-is "$address$path")" 404 "$path"
done

# At a terminal with a display the browser is started; not with -no_browser, and not elsewhere.
mkdir -p ../bin
printf '#!/bin/sh\necho "$1" >>"%s"\n' "$PWD/opened.out" >../bin/xdg-open
chmod +x ../bin/xdg-open
opens() {
    DISPLAY=:77 PATH="$PWD/../bin:$PATH" "$PYTHON" - "$APPROF_BIN" web plain.pb.gz "$@" <<'END'
import os, pty, signal, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
said = b""
while b"http://" not in said or not said.endswith(b"\n"):
    said += os.read(terminal, 4096)
for _ in range(600 if "-no_browser" not in sys.argv else 4):
    if os.path.exists("opened.out") and os.path.getsize("opened.out"):
        break
    time.sleep(0.05)
os.kill(pid, signal.SIGTERM)
os.waitpid(pid, 0)
END
}
opens -no_browser
[ -e opened.out ] && bad "a browser was started with -no_browser"
opens
contains opened.out '^http://127\.0\.0\.1:[0-9]+/$' "the browser's address"

mv plain.pb.gz away.pb.gz
equal "$(status "${address}data?reload=1")" 503 "sources that are gone"
equal "$(status "${address}data")" 200 "what was read is still there"
stop "$server"
equal $? 0 "ends at SIGTERM"
mv away.pb.gz plain.pb.gz

# What a page can be of: several profiles, tables, a process, a directory of approf record; compared with another one.
# total FILE TYPE        what the page says
total() {
    "$PYTHON" - "$@" <<'END'
import base64, gzip, json, re, sys
data = gzip.decompress(base64.b64decode(re.search(r'id="data">([^<]*)<', open(sys.argv[1]).read()).group(1)))
print(next(one["total"] for one in json.loads(data.split(b"\0")[0])["types"] if one["name"] == sys.argv[2]))
END
}
sum_of() {
    approf top -json -sample_index=alloc_space "$@" | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["total"])'
}
page_of() {
    approf web -o page.html "$@" 2>err || bad "web of $*: $(cat err)"
    equal "$(total page.html alloc_space)" "$(sum_of "$@")" "web of $*"
}
page_of plain.pb.gz deep.pb.gz
page_of store
approf web -o page.html -focus=no_such_function store 2>err
equal "$(grep -c 'Focus expression matched no samples' err)" 1 "what is wrong is said once, not for each moment"
page_of -diff_base old.pb.gz plain.pb.gz
APPROF_RATE=65536 LD_PRELOAD=$APPROF_LIB start "$test_programs/live/churner" 1 0 1000 >../churner.out
churner=$started
wait_for 60 grep -q ready ../churner.out || bad "no process"
approf web -o page.html "$churner" 2>err || bad "web PID: $(cat err)"
[ "$(total page.html alloc_space)" -gt 0 ] || bad "the page of a process is empty"
APPROF_OUT='' kill -KILL "$churner"
wait "$churner" 2>/dev/null
page_of "$APPROF_TABLES"/churner.*.heap

for place in 0.0.0.0:0 example.com:80 192.168.1.1:80 nonsense localhost:99999 localhost:-1 localhost:x; do
    approf web -no_browser "-http=$place" plain.pb.gz >out 2>err
    equal $? 2 "-http=$place"
    contains err '^hint: ' "-http=$place has a hint"
done
approf web -o /nonexistent/report.html plain.pb.gz 2>err
equal $? 2 "a file that can't be written"
