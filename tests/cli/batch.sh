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
# Another secret makes other hidden cases.
CUGRADE_SECRET=x batch 0 class --out graded --resume
[ "$(grep -c '^\[' stdout)" = 4 ] || fail "another secret: all are graded anew"

# One that cannot be judged is left out, named, and not charged.
ln -s nowhere class/patterns/eve.cu
batch 2 class --out graded2
says stdout '4 of 5 graded'
says stdout 'eve (patterns): '
says stdout '--resume'
[ ! -e graded2/reports/patterns/eve.json ] || fail "a report of what was not graded"
grep -q '^eve,patterns,,,,,harness_error' graded2/gradebook.csv || fail "eve's row"
rm class/patterns/eve.cu

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
