#!/usr/bin/env bash
# A batch that is killed with SIGKILL and resumed ends with the gradebook of an undisturbed one,
# grades none twice and leaves no process behind.
. "$(dirname "$0")/common.bash"
export XDG_CACHE_HOME=$work/cache  # the kill must meet compilers at work
submissions=${SUBMISSIONS:-4}

mkdir -p class
files=("$SOURCE"/tests/submissions/patterns/correct/*.cu)
for i in $(seq "$submissions"); do
    { cat "${files[(i - 1) % ${#files[@]}]}"; echo "// $i"; } >"class/student$(printf %02d "$i").cu"
done
count=$(find class -name '*.cu' | wc -l)
options=(-a patterns --backend emulator --jobs 2)

expect 0 "$CUGRADE" batch class --out whole "${options[@]}"
rm -rf cache

: >first  # the shell below may make it later than it is read
"$CUGRADE" batch class --out killed "${options[@]}" >first 2>&1 &
pid=$!
while [ "$(grep -c '^\[' first || true)" -lt $((count / 2)) ]; do
    kill -0 "$pid" 2>/dev/null || fail "the batch ended before it could be killed"
    sleep 0.02
done
kill -KILL "$pid"
wait "$pid" 2>/dev/null || true
for _ in $(seq 100); do
    pgrep -f "$work/cache" >/dev/null || break
    sleep 0.1
done
pgrep -f "$work/cache" && fail "processes outlive the batch"

# The record is written first: what is in it has been graded.
recorded() { "${PYTHON:-python3}" -c "import sqlite3; record = sqlite3.connect('killed/record.db')
assert record.execute('PRAGMA integrity_check').fetchall() == [('ok',)]
for name, in record.execute('SELECT student FROM grading ORDER BY student'): print(name)"; }
recorded >marked
graded=$(wc -l <marked)
[ "$graded" -ge $((count / 2)) ] && [ "$graded" -lt "$count" ] || fail "$graded of $count before the kill"
while read -r mark; do
    file=killed/reports/patterns/$mark.json
    [ -e "$file" ] || continue  # the kill came before the report; it is written from the record
    json "$file" schema_version is 1
    stat -c '%i %Y %n' "$file"
done <marked >before

expect 0 "$CUGRADE" batch class --out killed --resume "${options[@]}"
says stdout "$graded of $count are graded already"
[ "$(grep -c '^\[' stdout)" = $((count - graded)) ] || fail "the rest is graded, each once"
while read -r _ _ file; do stat -c '%i %Y %n' "$file"; done <before >after
recorded | sort | uniq -d | grep . && fail "graded twice"
[ "$(recorded | wc -l)" = "$count" ] || fail "the record is not whole"
cmp before after || fail "a report was written twice"
cmp whole/gradebook.csv killed/gradebook.csv || fail "another gradebook than without the kill"
