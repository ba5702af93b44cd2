#!/usr/bin/env bash
# An oracle that crashes or throws is the course's mistake: named with the case, exit code 1, and the
# reports of other submissions stay.
. "$(dirname "$0")/common.bash"
prefix=$(dirname "$(dirname "$CUGRADE")")
mkdir -p course/libexec/cugrade
ln -s "$prefix"/{bin,lib,share} course/
ln -s "$prefix"/libexec/cugrade/* course/libexec/cugrade/
rm course/libexec/cugrade/oracles
ln -s "$prefix/tests/broken-oracles" course/libexec/cugrade/oracles
export CUGRADE_HOME=$work/course
solution=$SOURCE/reference/patterns/solution.cu
check() { expect "$1" "$CUGRADE" check "$solution" -a patterns --backend emulator "${@:2}"; }
wrong() { export CUGRADE_TEST_ORACLE=$1; }

wrong throw
check 1 --task map
says stderr 'reference/patterns/oracle.cpp: the oracle of patterns/map throws: no such row, for case 9 ('
says stderr 'n=1023'
says stderr 'cugrade data patterns/map --case 9'
expect 1 "$CUGRADE" data patterns/map --case 9 --out case9
says stderr 'the oracle of patterns/map throws: no such row, for case 9 ('
for way in crash segfault; do
    wrong $way
    check 1 --task map
    says stderr 'the oracle of patterns/map crashes: '
    says stderr ', for case 9 ('
done
check 0 --task gather  # another task's oracle is right
wrong name
check 1 --task map
says stderr 'the oracle of patterns/map answers `nobody`, which is no output of the task, for case 9 ('

# Who is graded besides has a report, and who is not has one as soon as the oracle is mended.
mkdir -p class/patterns class/scan
cp "$solution" class/patterns/ada.cu
echo 'not C++' >class/patterns/bob.cu
echo 'not C++' >class/scan/cy.cu
wrong crash
expect 1 "$CUGRADE" batch class --out graded --backend emulator --no-timing
says stdout '2 of 3 graded'
says stdout 'ada (patterns): '
says stdout 'the oracle of patterns/map crashes: Aborted (signal 6), and says: row 7 is missing, for case 9'
[ -s graded/reports/patterns/bob.json ] && [ -s graded/reports/scan/cy.json ] || fail "the others' reports"
[ ! -e graded/reports/patterns/ada.json ] || fail "a report of what was not graded"
wrong none
expect 0 "$CUGRADE" batch class --out graded --backend emulator --no-timing --resume
says stdout '2 of 3 are graded already'
json graded/reports/patterns/ada.json verdict is accepted
wrong throw
expect 1 "$CUGRADE" batch class --out graded --backend emulator --resume
json graded/reports/scan/cy.json verdict is compile_error
