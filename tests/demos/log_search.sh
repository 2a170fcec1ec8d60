#!/bin/bash
# time: 200
# needs: curl python3
# log-search, buggy and fixed, as its clients see it: curl and raw bytes.
. "$(dirname "$0")/../lib.sh"

export PYTHONDONTWRITEBYTECODE=1
for which in buggy fixed; do
    start "$BUILD/demo/log-search-$which" --port 0 --lines 500 >$which.log 2>&1
    pid=$started
    wait_for 20 grep -q 'listening on' $which.log || fail "$which: not ready: $(cat $which.log)"
    port=$(sed -n 's/.*listening on 127.0.0.1:\([0-9]*\)$/\1/p' $which.log)
    url=http://127.0.0.1:$port
    curl -s "$url/search?q=." >all || bad "$which: curl: exit status $?"
    equal "$(wc -l <all)" 500 "$which: lines that match anything"
    for pattern in ERROR 'ERROR.*eu-(west|north)' '^2024.*took=[0-9]{3}ms' 'no such line' 'status=503|healthz' '(took=)+[0-9]+ms' 'a\**b?' \
        '[*+]' '[+*?}]*eu' '[]*+]|[^]*+]{2}' '[[:alpha:]*+]+\|' '[\1*+]' 'eu}*' '(a)\)+|(b)\)+|9{0,3}' '[0-9]{4}-[0-9]{2}-[0-9]{2}T' '.{390}|E'; do
        curl -s -G --data-urlencode "q=$pattern" "$url/search" >found
        grep -E -- "$pattern" all >wanted
        same found wanted "$which: $pattern"
    done
    for pattern in '(a' 'a{2,1}' '[b' '*(' '(a{99}){99}' '((a)\1)' 'Z***' 'a+?' '\\**' '[a]**' '[]a]+{2}' '[[.].]a]**' \
        '[*+' '[[:alpha:]' '(a{,99}){,99}' '((a{99,}){99,})' "($(printf 'a*%.0s' $(seq 100))){99}" \
        "($(printf '(\\b|\\>)%.0s' $(seq 20))){99}" \
        "$(printf '(%.0s' $(seq 40))" "$(printf '(%.0s' $(seq 20))a$(printf ')+%.0s' $(seq 20))"; do
        status=$(curl -s -o answer -w '%{http_code}' -G --data-urlencode "q=$pattern" "$url/search")
        equal "$status" "$([ $which = fixed ] && echo 400 || echo 000)" "$which: status of bad pattern $pattern"
    done
    equal "$(curl -s -o /dev/null -w '%{http_code}' "$url/")" 200 "$which: /"
    equal "$(curl -s -o /dev/null -w '%{http_code}' "$url/nope")" 404 "$which: /nope"
    equal "$(curl -s -o /dev/null -w '%{http_code}' "$url/search")" 400 "$which: no query"
    equal "$(curl -s -o /dev/null -w '%{http_code}' "$url/search?q=%zz")" 400 "$which: a malformed query"
    equal "$(curl -s -o /dev/null -w '%{http_code}' -X DELETE "$url/search?q=a")" 405 "$which: DELETE"
    equal "$(curl -s -o /dev/null -w '%{http_code}' -d body "$url/search?q=a")" 400 "$which: a body"
    equal "$(curl -s -I "$url/search?q=." | tr -d '\r' | sed -n 's/^Content-Length: //p')" "$(wc -c <all)" "$which: HEAD"
    equal "$(curl -s -o /dev/null -o /dev/null -w '%{num_connects}' "$url/" "$url/")" 10 "$which: connections of two requests"
    timeout 60 "$PYTHON" "$TOP/tests/demos/log_search_client.py" "$port" >client.out 2>&1 || bad "$which: $(tail -15 client.out)"
    stop "$pid"
    equal $? 0 "$which: exit status after SIGTERM"
    equal "$(wc -l <$which.log)" 1 "$which: lines of output"
done
