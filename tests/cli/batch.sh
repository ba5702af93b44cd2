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
for extension in json yaml txt; do
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

# Nothing changed: nothing is graded. One changed: one is graded.
batch 0 class --out graded --resume
says stdout '4 of 4 are graded already'
grep -q '^\[' stdout && fail "graded again"
echo '// later' >>class/scan/cy/student.cu
batch 0 class --out graded --resume
[ "$(grep -c '^\[' stdout)" = 1 ] || fail "a changed submission is graded anew"
# Somebody else's mark, report or both, and one's own report changed: not believed, and told by name.
points() { report get "graded/reports/$1.json" score/earned; }
forged() {
    batch 0 class --out graded --resume
    says stderr "warning: $1 ($2): $3; it is graded anew"
    says stdout "$1 ($2): $3"
    [ "$(grep -c '^\[' stdout)" = 1 ] || fail "$1 alone is graded anew"
    [ "$(points "$2/$1")" = "$4" ] || fail "the points of $1 are forged"
}
foreign='its mark was not made by this grader for this student'
changed='its reports are not as this grader wrote them'
sed -i 's/"earned": 0/"earned": 100/' graded/reports/scan/cy.json
forged cy scan "$changed" 0
sed -i 's/^Score: 0/Score: 9/' graded/reports/scan/cy.txt
forged cy scan "$changed" 0
cp graded/.batch/scan/dan graded/.batch/scan/cy
forged cy scan "$foreign" 0
cp class/patterns/ada.cu class/patterns/fay.cu
batch 0 class --out graded --resume
cp "$SOURCE/student_template/patterns/student.cu" class/patterns/fay.cu
for extension in json yaml txt; do cp graded/reports/patterns/{ada,fay}.$extension; done
cp graded/.batch/patterns/{ada,fay}
forged fay patterns "$foreign" 0
{ sed -n 1,3p graded/.batch/patterns/fay; echo 0; } >mark
cp mark graded/.batch/patterns/fay
forged fay patterns "$foreign" 0
rm class/patterns/fay.cu
batch 0 class --out graded --resume
says stdout '4 of 4 are graded already'
# What another grader has made counts as nobody's, and a key of one run keeps nothing.
CUGRADE_KEY_FILE=$work/another batch 0 class --out graded --resume
[ "$(grep -c "$foreign; it is graded anew" stderr)" = 4 ] || fail "marks of another key are believed"
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
batch 2 class --out graded2 --resume
[ "$(grep -c '^\[' stdout)" = 1 ] || fail "what is graded stays so"
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
says stderr 'another batch'
exec 9>&-

# -a: all are for one assignment; a misspelt folder among assignments is an error.
batch 0 class/patterns -a patterns --out graded3
[ "$(wc -l <graded3/gradebook.csv)" = 3 ] || fail "gradebook of one assignment"
mkdir class/scam
batch 1 class --out graded4
says stderr 'did you mean `scan`?'
