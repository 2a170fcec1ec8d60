#!/bin/bash
# time: 300
# needs: python3 sqlite3 git gcc
# Programs that come and go: python3, sqlite3, gcc compiling a file, git log, and a shell pipeline. Each does the same under the
# preload as without, and leaves profiles that readers take.
. "$(dirname "$0")/../lib.sh"
. "$TOP/tests/real/real-lib.sh"

# --- python3 ---
cat >work.py <<'PY'
import ctypes, gc, hashlib, json, mmap, re, subprocess, sys, threading
rows = [{"id": i, "name": "row %d" % i, "tags": ["a" * (i % 50), i * 1.5]} for i in range(20000)]
text = json.dumps(rows)
print(len(text), hashlib.sha256(text.encode()).hexdigest())
print(sum(len(m) for m in re.findall(r"row \d+", text)))
results = []
def work(n):
    results.append(sum(len(str(i)) for i in range(n)))
threads = [threading.Thread(target=work, args=(50000 + i,)) for i in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(sorted(results))
print(subprocess.run(["/bin/echo", "a child"], capture_output=True, text=True).stdout.strip())
m = mmap.mmap(-1, 1 << 16); m[:5] = b"hello"; print(m[:5])
libc = ctypes.CDLL(None); libc.malloc.restype = ctypes.c_void_p
p = libc.malloc(ctypes.c_size_t(100000)); libc.free(ctypes.c_void_p(p))
del rows; gc.collect()
sys.stderr.write("to stderr\n")
sys.exit(7)
PY
python=/usr/bin/python3
[ -x $python ] || python=$(python3 -c 'import sys; print(sys.executable)')
PYTHONHASHSEED=0 both python "$python" work.py

# --- sqlite3 ---
cat >work.sql <<'SQL'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
  insert into t select i, 'value ' || (i * 7919 % 60000), i / 3.0 from n;
create index tb on t(b);
select count(*), sum(a), min(b), max(b), round(avg(c), 3) from t;
select b, count(*) from t group by substr(b, 1, 8) order by 2 desc, 1 limit 10;
update t set b = b || '!' where a % 3 = 0; delete from t where a % 5 = 0;
select count(*) from t where b like '%!'; pragma integrity_check;
select no_such_column from t;
SQL
both sqlite sqlite3 :memory: '.read work.sql'

# --- gcc, all of its processes ---
cat >work.c <<'C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *left, *right; double key; char name[32]; };
static struct node *insert(struct node *n, double key)
{
    if (!n) { n = calloc(1, sizeof *n); n->key = key; snprintf(n->name, sizeof n->name, "%g", key); return n; }
    if (key < n->key) n->left = insert(n->left, key); else n->right = insert(n->right, key);
    return n;
}
int main(void)
{
    struct node *root = NULL;
    for (int i = 0; i < 1000; i++) root = insert(root, sin(i));
    return root->name[0] == 0;
}
C
compile() {
    gcc -O2 -g -Wall -c work.c -o "$1.o" && gcc "$1.o" -lm -o "$1" && objdump -d "$1.o" | tail -n +4 | sha256sum
    gcc -fsyntax-only -xc - <<<'int main(void) { return undeclared; }'
    return 3
}
export -f compile
both gcc bash -c 'compile work'
for part in cc1 "*as"; do
    compgen -G "profiles/gcc/$part.*.pb.gz" >/dev/null || bad "gcc: no profile of its $part"
done

# --- git ---
export HOME=$TEST_TMP GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat
git init -q repo
"$PYTHON" - <<'PY' | git -C repo fast-import --quiet
for i in range(300):
    body = "".join("line %d of %d\n" % (j, i * j) for j in range(i))
    print("commit refs/heads/main\ncommitter A U Thor <a@example.org> %d +0000" % (1700000000 + i * 3600))
    message = "Change number %d\n\nWith a body.\n" % i
    print("data %d\n%s" % (len(message), message))
    for name in ("file", "dir/other%d" % (i % 7)):
        print("M 100644 inline %s\ndata %d\n%s" % (name, len(body), body))
PY
both git-log git -C repo log --stat -p --graph main
both git-gc bash -c 'cd repo && git gc -q --aggressive && git fsck --full && git rev-list --objects main | wc -l'

# --- a pipeline of small ones ---
both pipe bash -c "seq 1 200000 | sort -R --random-source=/usr/bin/sort | sort -n | awk '{ s += \$1; a[\$1 % 1000] = a[\$1 % 1000] \$1 } END { print s, length(a[7]) }'"

# --- at the default rate nothing but the figures changes ---
unset APPROF_RATE
PYTHONHASHSEED=0 RATE=524288 both python-default "$python" work.py
