#!/usr/bin/env bash
# `batch --only` grades some students and keeps the reports of the others.
. "$(dirname "$0")/common.bash"

mkdir class
for name in ada bob cy; do cp "$SOURCE/student_template/patterns/student.cu" "class/$name.cu"; done
batch() { expect "$1" "$CUGRADE" batch class -a patterns --task map --backend emulator --out graded "${@:2}"; }
row() { grep "^$1," graded/gradebook.csv | cut -d, -f3,7; }
inodes() { stat -c '%i %n' graded/reports/patterns/{bob,cy}.json; }

# Nobody else is graded before: they have no row yet, and that is no failure.
batch 0 --only ada
says stdout '1 of 1 graded'
says stdout '2 others are not graded yet, and were not asked for (--only)'
[ "$(wc -l <graded/gradebook.csv)" = 2 ] || fail "rows of those who are not graded"
batch 0 --resume
says stdout '1 of 3 are graded already'
inodes >before

# Anew, although nothing has changed; with --resume only what has.
batch 0 --only ada
says stdout '2 of 3 are graded already'
[ "$(grep -c '^\[3/3\] ada' stdout)" = 1 ] || fail "ada is graded anew"
inodes | cmp before - || fail "others were graded, too"
batch 0 --only ada --resume
says stdout '3 of 3 are graded already'
cp "$SOURCE/reference/patterns/solution.cu" class/ada.cu
batch 0 --only ada --resume
[ "$(row ada)" = 30,accepted ] && [ "$(row bob)" = 0,unwritten_output ] || fail "marks: $(cat graded/gradebook.csv)"
inodes | cmp before - || fail "others were graded, too"

# A table never holds marks by two rules, or of hand-ins that are gone.
cp "$SOURCE/reference/patterns/solution.cu" class/bob.cu
cp graded/gradebook.csv before.csv
batch 1 --only ada
says stderr 'bob (patterns)'
says stderr 'name these with --only, too'
cmp before.csv graded/gradebook.csv || fail "the table changed"
batch 0 --only ada --only bob
[ "$(row bob)" = 30,accepted ] || fail "bob's mark"

batch 1 --only aba
says stderr 'unknown student `aba`'
says stderr 'did you mean `ada`?'
