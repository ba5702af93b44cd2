#!/usr/bin/env bash
# A batch: layouts, reports, the gradebook, one submission that cannot be judged, the lock.
. "$(dirname "$0")/common.bash"
batch() { expect "$1" "$CUGRADE" batch --backend emulator "${@:2}"; }

mkdir -p class/patterns class/scan/cy
cp "$SOURCE/reference/patterns/solution.cu" class/patterns/ada.cu
cp "$SOURCE/student_template/patterns/student.cu" 'class/patterns/=bob, "the builder".cu'
echo 'not C++' >class/scan/dan.cu
cp "$SOURCE/student_template/scan/student.cu" class/scan/cy/student.cu
batch 0 class --out graded
says stdout '4 of 4 graded'
[ "$(grep -c '^\[' stdout)" = 4 ] || fail "one progress line per submission"
for extension in json yaml txt html; do
    [ "$(find graded/reports -name "*.$extension" | wc -l)" = 4 ] || fail "$extension reports"
done
json graded/reports/patterns/ada.json submission/student is ada
json graded/reports/patterns/ada.json score/earned is 100
gradebook() { report table graded/gradebook.csv "$@" || fail "gradebook"; }
gradebook assignment patterns patterns scan scan
gradebook student "'=bob, \"the builder\"" ada cy dan
gradebook earned 0 100 0 0
[ "$(report get graded/reports/scan/dan.json verdict)" = compile_error ] || fail "dan's report"
grep -q '^dan,scan,.*,compile_error' graded/gradebook.csv || fail "dan's row"

# The class at a glance, for staff: a page of the class, which links to one of each submission.
says stdout 'For staff:   graded/index.html'
says graded/index.html '<a href="pages/patterns/%3Dbob%2C%20%22the%20builder%22.html">'
says graded/index.html '<a href="reports/scan/cy.html">'
says graded/index.html 'Nothing is ungraded'
[ "$(find graded/pages -name '*.html' | wc -l)" = 4 ] || fail "a page of each submission"
says graded/pages/scan/dan.html 'Verdict: compile_error.'
says graded/pages/scan/dan.html '<a href="../../reports/scan/dan.html">'
says graded/reports/scan/dan.html 'The program does not compile'
says graded/reports/patterns/ada.html '<p class="big">100 <small>of 100 points</small></p>'
grep -q 'pages/' graded/reports/scan/dan.html && fail "a link to what is for staff"
cp graded/index.html before.html

# Nothing changed: nothing is graded. One changed: one is graded.
batch 0 class --out graded --resume
says stdout '4 of 4 are graded already'
grep -q '^\[' stdout && fail "graded again"
cmp before.html graded/index.html || fail "the same reports make the same page"
echo '// later' >>class/scan/cy/student.cu
batch 0 class --out graded --resume
[ "$(grep -c '^\[' stdout)" = 1 ] || fail "a changed submission is graded anew"
# A report that somebody has changed is written again, and told by name; nothing is graded for that.
restored() {
    cp "graded/reports/$1" whole
    sed -i "$2" "graded/reports/$1"
    batch 0 class --out graded --resume
    says stderr "warning: graded/reports/$1 was not as this grader wrote it; it is written again"
    says stdout "  graded/reports/$1 was not as"
    ! grep -q '^\[' stdout || fail "graded for a changed file"
    cmp whole "graded/reports/$1" || fail "$1 is not as it was"
}
restored scan/cy.json 's/"earned": 0/"earned": 100/'
restored scan/cy.txt 's/^Score: 0/Score: 9/'
restored scan/cy.html 's/class="big">0/class="big">9/'
mv graded/reports/scan/cy.yaml whole
batch 0 class --out graded --resume
cmp whole graded/reports/scan/cy.yaml || fail "a deleted report"
# A line of the record that this grader did not write for this student is not believed, and told.
points() { report get "graded/reports/$1.json" score/earned; }
foreign="the record's line was not written by this grader, or the key is another one"
forged() {
    "${PYTHON:-python3}" -c "import sqlite3, sys
with sqlite3.connect('graded/record.db') as record: assert record.execute(sys.argv[1]).rowcount == 1" "$1"
    batch 0 class --out graded --resume
    says stderr "warning: $2 ($3): $foreign; it is graded anew"
    says stdout "$2 ($3): $foreign"
    [ "$(grep -c '^\[' stdout)" = 1 ] || fail "$2 alone is graded anew"
    [ "$(points "$3/$2")" = "$4" ] || fail "the points of $2 are forged"
}
last() { echo "(SELECT max(id) FROM grading WHERE student = '$1')"; }
forged "UPDATE grading SET report = (SELECT report FROM grading WHERE id = $(last dan)) WHERE id = $(last cy)" cy scan 0
forged "UPDATE grading SET report = replace(report, '\"earned\": 0', '\"earned\": 100') WHERE id = $(last cy)" cy scan 0
forged "UPDATE grading SET facts = '{}' WHERE id = $(last cy)" cy scan 0
cp class/patterns/ada.cu class/patterns/fay.cu
batch 0 class --out graded --resume
[ "$(points patterns/fay)" = 100 ] || fail "fay's first attempt"
cp "$SOURCE/student_template/patterns/student.cu" class/patterns/fay.cu
batch 0 class --out graded --resume
forged "UPDATE grading SET report = (SELECT report FROM grading WHERE student = 'fay' AND attempt = 1)
        WHERE id = $(last fay)" fay patterns 0
forged "UPDATE grading SET mac = '0' WHERE id = $(last fay)" fay patterns 0
rm class/patterns/fay.cu
batch 0 class --out graded --resume
says stdout '4 of 4 are graded already'
# What another grader has made counts as nobody's, and a key of one run keeps nothing.
CUGRADE_KEY_FILE=$work/another batch 0 class --out graded --resume
[ "$(grep -c "$foreign; it is graded anew" stderr)" = 4 ] || fail "lines of another key are believed"
chmod 644 another
CUGRADE_KEY_FILE=$work/another batch 1 class --out graded --resume
says stderr 'chmod 600'
batch 0 class --out graded
XDG_CONFIG_HOME=/proc/nowhere batch 0 class --out graded --resume
says stderr "the grader's key cannot be kept"
[ "$(grep -c '^\[' stdout)" = 4 ] || fail "without a key that is kept all are graded anew"
batch 0 class --out graded

# Another secret makes other hidden cases.
secret=$(printf '%064d' 0 | sha256sum | cut -c1-64)
CUGRADE_SECRET=$secret batch 0 class --out graded --resume
[ "$(grep -c '^\[' stdout)" = 4 ] || fail "another secret: all are graded anew"

# One that cannot be judged is left out, named, and not charged.
echo 'int x;' >class/patterns/eve.cu
mkdir class/patterns/eve
cp class/patterns/eve.cu class/patterns/eve/student.cu
batch 2 class --out graded2
says stdout '4 of 5 graded'
says stdout 'eve (patterns): two submissions: class/patterns/eve/student.cu and class/patterns/eve.cu; remove one of them'
says stdout '--resume'
[ ! -e graded2/reports/patterns/eve.json ] || fail "a report of what was not graded"
grep -q '^eve,patterns,,,,,harness_error' graded2/gradebook.csv || fail "eve's row"
says graded2/index.html 'eve.cu; remove one of them</td>'
says graded2/pages/patterns/eve.html 'Not graded: two submissions'
batch 2 class --out graded2 --resume
[ "$(grep -c '^\[' stdout)" = 1 ] || fail "what is graded stays so"

# The same for a terminal.
expect 0 "$CUGRADE" class graded2
says stdout 'eve (patterns): not graded: two submissions: '
says stdout '2 graded, 1 not graded, 0 for a person to decide, 0 missing'
says stdout 'map: 1 of 2 not right'
says stdout 'the program does not compile (dan)'
rm -r class/patterns/eve class/patterns/eve.cu

# A batch that was killed has left these; what another grading uses is locked.
mkdir temporary
mkdir temporary/cugrade.build-killed temporary/cugrade.build-used temporary/other
echo '{' >graded2/reports/patterns/.eve.json.0123abcd
exec 8<temporary/cugrade.build-used
flock 8
TMPDIR=$work/temporary batch 0 class --out graded2 --resume
says stdout '4 of 4 are graded already'
[ "$(echo temporary/*)" = 'temporary/cugrade.build-used temporary/other' ] || fail "left: $(echo temporary/*)"
[ ! -e graded2/reports/patterns/.eve.json.0123abcd ] || fail "half a report is left"
exec 8<&-

# Two batches do not write into one folder.
exec 9>graded/.lock
flock 9
batch 1 class --out graded --resume
says stderr 'another cugrade'
exec 9>&-

# -a: all are for one assignment; a misspelt folder among assignments is an error.
batch 0 class/patterns -a patterns --out graded3
[ "$(wc -l <graded3/gradebook.csv)" = 3 ] || fail "gradebook of one assignment"
mkdir class/scam
batch 1 class --out graded4
says stderr 'did you mean `scan`?'
