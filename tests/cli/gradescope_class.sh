#!/usr/bin/env bash
# What Gradescope exports is graded as it is: its metadata tell whose each folder is, who is in a group, and when it
# came. What they name and is not there is told, and a wrong file is told by line.
. "$(dirname "$0")/common.bash"

solution=$SOURCE/reference/patterns/solution.cu
stub=$SOURCE/student_template/patterns/student.cu
printf 'id,name,lms_id,section,email\ns1,Ada Lovelace,5107,A,\ns2,Bob Stroud,,A,bob@x.edu\ns3,Amélie Dupont,,B,\ns4,Dan Brown,93,B,\n' >roster.csv
sed 's/^  patterns:/  patterns:\n    deadline: 2026-11-30T22:59:00Z\n    late: {per_day: 0.1, days: 2}/' "$SOURCE/grading.yaml" >late.yaml
class=assignment_123_export
mkdir -p $class/submission_{1,2,3,7}
cp "$solution" $class/submission_1/student.cu
cp "$solution" $class/submission_2/scan.cu
cp "$stub" $class/submission_3/student.cu
cp "$stub" $class/submission_7/student.cu
cat >$class/submission_metadata.yml <<'END'
---
submission_1:
  :submitters:
  - :name: A. Lovelace
    :sid: '5107'
    :email: other@x.edu
  :created_at: 2026-12-01 09:00:00.123456000 Z
  :score: 0.0
submission_2:
  :submitters:
  - :name: B.
    :sid: '999'
    :email: Bob@x.edu
  - :name: Amélie Dupont
    :sid:
    :email:
  :created_at: 2026-11-30 14:59:00.000000000 -08:00
submission_3:
  :submitters:
  - :name: "Eve\nAdams"
    :sid: '77'
    :email: eve@x.edu
  :created_at: 2026-11-30 10:00:00.000000000 Z
submission_9:
  :submitters:
  - :name: Dan Brown
    :sid: '93'
    :email:
  :created_at: 2026-11-30 10:00:00.000000000 Z
END
batch() { expect "$1" "$CUGRADE" batch "$2" -a patterns --task map --backend emulator --no-timing --policy late.yaml --out "${@:3}"; }
row() { grep "^$1," graded/gradebook.csv | cut -d, -f3; }

batch 0 $class graded --roster roster.csv
says stdout '5 of 5 graded'
says stdout 's1 (patterns): 1 day late'
grep -E 's[23] \(patterns\): .* late' stdout && fail "the group was in time"
says stdout "Graded, but nobody's in the roster"
says stdout '  assignment_123_export/submission_3: Eve\x0aAdams, 77, eve@x.edu'
says stdout '  assignment_123_export/submission_7'
says stdout "In Gradescope's submission_metadata.yml, and not there:"
says stdout '  submission_9 (assignment_123_export/submission_metadata.yml:24)'
says stdout 'In the roster, with nothing handed in:'
says stdout '  s4 (patterns)'
grep 'Passed over' stdout && fail "the metadata are no submission, and nobody misses them"
[ "$(row s2)" = "$(row s1)" ] && [ "$(row s3)" = "$(row s1)" ] && [ "$(row s1)" -gt 0 ] || fail "the group: $(cat graded/gradebook.csv)"
[ "$(row 77)" = 0 ] && [ "$(row submission_7)" = 0 ] || fail "who is in no roster: $(cat graded/gradebook.csv)"
json graded/reports/patterns/s3.json submission/student is s3
grep -q '^Ada Lovelace,5107,' graded/canvas.csv || fail "the mark of ada"

# A table of times goes first; whoever is not in it keeps Gradescope's time. An export that comes later tells anew.
printf 'id,submitted_at\ns2,2026-12-01T08:00:00Z\n' >times.csv
batch 0 $class graded --roster roster.csv --resume --submitted times.csv
says stdout '5 of 5 are graded already'
says stdout 's1 (patterns): 1 day late'
says stdout 's2 (patterns): 1 day late'
sed -i 's/2026-12-01 09:00/2026-11-30 09:00/' $class/submission_metadata.yml
batch 0 $class graded --roster roster.csv --resume
grep 'day late' stdout && fail "Gradescope says that all were in time"

# Without a roster a student is called by the sid, else the email, else the name.
batch 0 $class alone
says stdout '5 of 5 graded'
for student in 5107 999 'Amélie Dupont' 77 submission_7; do
    [ -e "alone/reports/patterns/$student.txt" ] || fail "no report of $student: $(ls alone/reports/patterns)"
done

# Nobody's two submissions are one, and nobody is two by being named twice in a group.
cp -r $class twice
sed -i "s/:sid: '999'/:sid: '5107'/; s/:name: Amélie Dupont/:name: Eve Adams/" twice/submission_metadata.yml
batch 2 twice graded2 --roster roster.csv
says stdout 's1 (patterns): two submissions: twice/submission_1/student.cu and twice/submission_2; remove one of them'
cp -r $class group
sed -i "s/:sid: '999'/:sid:/; s/:name: Amélie Dupont/:name: Bob Stroud/" group/submission_metadata.yml
batch 0 group graded3 --roster roster.csv
says stdout '4 of 4 graded'

# A wrong file, and a link to one.
sed -i 's/2026-11-30 14:59:00.000000000 -08:00/yesterday/' group/submission_metadata.yml
batch 1 group graded4 --roster roster.csv
says stderr 'group/submission_metadata.yml:17: `yesterday` is no time with a zone (at submission_2.:created_at)'
[ ! -e graded4/record.db ] || fail "a record of nothing"
mv group/submission_metadata.yml elsewhere.yml
ln -s ../elsewhere.yml group/submission_metadata.yml
batch 0 group graded4 --roster roster.csv
says stdout 'submission_metadata.yml: a link, and none is followed'
! grep -q "In Gradescope's" stdout || fail "a link is followed"
