#!/usr/bin/env bash
# A student hands in again: which attempt counts is the policy's word, and gradebook, reports, pages, rescore and
# compare follow it.
. "$(dirname "$0")/common.bash"

solution=$SOURCE/reference/patterns/solution.cu
stub=$SOURCE/student_template/patterns/student.cu
policy() {  # WHICH FILE: a policy with `attempts: WHICH`
    sed "s/^  patterns:/  patterns:\n    attempts: $1\n    deadline: 2026-11-30T23:00:00Z\n    late: {per_day: 0.1, days: 2}/" \
        "$SOURCE/grading.yaml" >"$2"
}
policy last last.yaml
policy best best.yaml
policy final final.yaml
mkdir class
cp "$solution" class/ada.cu
cp "$stub" class/bob.cu
printf 'id,submitted_at\nada,2026-11-30T22:00:00Z\n' >times.csv
batch() {
    expect "$1" "$CUGRADE" batch class -a patterns --task map --backend emulator --out graded "${@:2}"
}
# marks FOLDER STUDENT=MARK...
marks() {
    "${PYTHON:-python3}" - "$@" <<'END' || fail "marks: $(cat "$1/gradebook.csv")"
import csv, sys
rows = {row["student"]: row for row in csv.DictReader(open(sys.argv[1] + "/gradebook.csv", newline=""))}
for student, mark in (word.split("=") for word in sys.argv[2:]):
    assert rows[student]["mark"] == mark, (student, rows[student])
END
}
of() { sha256sum <"$1" | cut -d' ' -f1; }

batch 0 --policy last.yaml --submitted times.csv
marks graded ada=30 bob=0

# Three days late, and worse. Under `last` it counts all the same.
cp "$stub" class/ada.cu
cp "$solution" class/bob.cu
printf 'id,submitted_at\nada,2026-12-03T22:00:00Z\nbob,2026-12-01T22:00:00Z\n' >times.csv
batch 0 --policy last.yaml --submitted times.csv --resume
marks graded ada=0 bob=27
json graded/reports/patterns/ada.json submission/sha256 is "$(of "$stub")"
json graded/attempts/patterns/ada/1.json submission/sha256 is "$(of "$solution")"
[ ! -e graded/attempts/patterns/ada/2.json ] || fail "the attempt that counts is among the others"
says graded/pages/patterns/ada.html '<td>2026-11-30T22:00:00Z</td><td class="n">30 of 30</td><td class="n">30</td><td>a newer one counts</td>'
says graded/pages/patterns/ada.html '<td>2026-12-03T22:00:00Z</td><td class="n">0 of 30</td><td class="n">0</td><td><strong>counts</strong></td>'
says graded/index.html '<td>2 of 2</td>'
expect 0 "$CUGRADE" verify graded/attempts/patterns/*/*.json

# Times that the record has stay, where a batch is told none. Nothing is run.
batch 0 --policy last.yaml --resume
says stdout '2 of 2 are graded already'
marks graded ada=0 bob=27

# Under `best` the first attempt counts, and everything shows it.
expect 0 "$CUGRADE" rescore graded --policy best.yaml --out best
marks best ada=30 bob=27
says best/gradebook.csv 'attempt 1 of 2 counts: it has the highest mark'
says best/gradebook.csv "$(of "$solution"),reports/patterns/ada.txt,30,"
json best/reports/patterns/ada.json submission/sha256 is "$(of "$solution")"
json best/attempts/patterns/ada/2.json submission/sha256 is "$(of "$stub")"
says best/index.html '<td>1 of 2</td>'
expect 0 "$CUGRADE" compare graded best
says stdout 'ada (patterns): 0 -> 30 of 30; attempt 1 counts, and 2 did (attempts: best)'
says stdout '1 of 2 marks differ'

# Under `final` too, because the second one came after all late days; with an extension it counts.
expect 0 "$CUGRADE" rescore graded --policy final.yaml
says stdout '2 rescored, 1 have other points:'
marks graded ada=30 bob=27
says graded/gradebook.csv 'attempt 1 of 2 counts: the newest came too late'
[ ! -e graded/attempts/patterns/ada/1.json ] || fail "attempt 1 counts, and lies among the others"
cp -r graded before
printf 'id,until,reason\nada,2026-12-02T23:00:00Z,illness\n' >extensions.csv
batch 0 --policy final.yaml --resume --extensions extensions.csv
marks graded ada=0 bob=27
expect 0 "$CUGRADE" compare before graded
says stdout 'ada (patterns): 30 -> 0 of 30; attempt 2 counts, and 1 did (attempts: final)'
echo id,until >none.csv
batch 0 --policy final.yaml --resume --extensions none.csv
says stdout '2 of 2 are graded already'
grep -q 'was not as this grader wrote it' stderr && fail "an attempt that counts again is no manipulation"
marks graded ada=30

# A batch by another policy grades what is handed in, and computes the earlier attempts' points anew.
sed 's/map: {correctness: 17/map: {correctness: 18/' final.yaml >more.yaml
cmp -s final.yaml more.yaml && fail "the policy is the same"
batch 0 --policy more.yaml --resume
marks graded ada=31 bob=27.9
# By other limits they have not run, so they cannot count.
sed 's/wall: 20 /wall: 19 /' more.yaml >limits.yaml
batch 0 --policy limits.yaml --resume
marks graded ada=0 bob=27.9
says stdout 'ada (patterns), attempt 1: graded by other rules, and points alone do not tell'

# A hand-in that cannot be graded takes nothing away, and is told.
mkdir class/bob
cp "$stub" class/bob/student.cu
batch 2 --policy limits.yaml --resume
says stdout 'bob (patterns): two submissions: '
marks graded bob=27.9
says graded/gradebook.csv 'attempt 2 of 3 counts: the newest is not graded'
says graded/index.html 'two submissions'

# An attempt that somebody has written is not believed.
"${PYTHON:-python3}" -c "import sqlite3
with sqlite3.connect('graded/record.db') as record: record.execute('UPDATE grading SET handed_in_at = 0 WHERE attempt = 1')"
rm -r class/bob
batch 0 --policy final.yaml
says stdout 'ada (patterns), attempt 1: its line in the record cannot be trusted'
marks graded ada=0

# Who leaves the class leaves its folder, too. What lies there beside is not touched.
touch graded/reports/patterns/notes.txt
mv class/bob.cu .
batch 0 --policy final.yaml --resume
says stdout 'Handed in before, and not any more; reports and pages are removed:'
says stdout '  bob (patterns)'
find graded -path '*patterns/bob*' | grep . && fail "something of bob's is left"
[ -e graded/reports/patterns/notes.txt ] || fail "a file of somebody else is gone"
[ -e graded/reports/patterns/ada.txt ] && [ -e graded/pages/patterns/ada.html ] || fail "ada's files"
grep -q '^bob' graded/gradebook.csv && fail "bob is in the gradebook"
batch 0 --policy final.yaml --resume
grep -q 'not any more' stdout && fail "told twice"
# The record has kept the gradings: whoever comes back has them. What a kill has left goes.
mv bob.cu class/
mkdir -p graded/attempts/patterns/ada
echo '{' >graded/attempts/patterns/ada/.1.json.0123abcd
batch 0 --policy final.yaml --resume
says stdout '2 of 2 are graded already'
[ -e graded/reports/patterns/bob.txt ] && [ -e graded/pages/patterns/bob.html ] || fail "bob's files"
[ ! -e graded/attempts/patterns/ada/.1.json.0123abcd ] || fail "what a kill has left"

printf '  patterns:\n    attempts: newest\n' >wrong
sed '/^  patterns:/{r wrong
d}' "$SOURCE/grading.yaml" >wrong.yaml
batch 1 --policy wrong.yaml
says stderr 'assignments.patterns.attempts'
