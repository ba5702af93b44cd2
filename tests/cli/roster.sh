#!/usr/bin/env bash
# A class with a roster: hand-ins as Moodle and Canvas name them become the students', who handed in
# nothing and what is nobody's is told, and the marks are files that both systems import.
. "$(dirname "$0")/common.bash"

solution=$SOURCE/reference/patterns/solution.cu
stub=$SOURCE/student_template/patterns/student.cu
cat >roster.csv <<'EOF'
id,name,lms_id,section,email
s1,Ada Lovelace,5107,A,ada@x.edu
s2,Bob Stroud,88,A,
s3,"Curie, Marie",91,B,
s4,Dan Brown,92,B,
s5,Dan Brown,93,B,
EOF
mkdir -p "class/Ada Lovelace_1234567_assignsubmission_file_" "class/Ada Lovelace_1234567_assignsubmission_onlinetext_"
cp "$solution" "class/Ada Lovelace_1234567_assignsubmission_file_/scan.cu"
echo hello >"class/Ada Lovelace_1234567_assignsubmission_onlinetext_/onlinetext.html"
cp "$stub" class/stroudbob_LATE_88_90210_student-1.cu
cp "$solution" class/eve.cu
cp "$stub" "class/Dan Brown_7_assignsubmission_file_student.cu"
batch() { expect "$1" "$CUGRADE" batch class -a patterns --task map --backend emulator --out "${@:2}"; }

batch 0 graded --roster roster.csv
says stdout '4 of 4 graded'
says stdout "onlinetext_: what was written into a text field of Moodle"
says stdout "Graded, but nobody's in the roster"
says stdout '  class/eve.cu'
says stdout 'Dan Brown_7_assignsubmission_file_student may be s4 or s5; call it by the id'
says stdout 'For Canvas:  graded/canvas.csv'
says stdout 'For Moodle:  graded/moodle-patterns.csv'
says stdout 'Late by Canvas, and nothing is taken off'
says stdout '  s2 (patterns): stroudbob_LATE_88_90210_student-1.cu'
says stdout 'In the roster, with nothing handed in:'
says stdout '  s3 (patterns)'
json graded/reports/patterns/s1.json submission/student is s1
[ "$(grep -c ',missing,' graded/gradebook.csv)" = 3 ] || fail "s3, s4 and s5 are missing: $(cat graded/gradebook.csv)"
grep -q '^s1,patterns,30,30,30,' graded/gradebook.csv || fail "ada's row"
printf '%s\r\n' 'Student,ID,SIS User ID,SIS Login ID,Section,"Patterns: map, gather, scatter"' \
    '    Points Possible,,,,,30' 'Ada Lovelace,5107,,,A,30' 'Bob Stroud,88,,,A,0' >expected
says graded/index.html '<bdi>s3</bdi></th><td><bdi>Curie, Marie</bdi></td><td>B</td>'
cmp expected graded/canvas.csv || fail "canvas.csv: $(cat graded/canvas.csv)"
grep -q '^Participant 1234567,Ada Lovelace,ada@x.edu,30,30,,' graded/moodle-patterns.csv || fail "the worksheet"
# Which of the two it is, Moodle knows.
grep -q '^Participant 7,,,0,30,,' graded/moodle-patterns.csv || fail "the worksheet"
[ "$(wc -l <graded/moodle-patterns.csv)" = 3 ] || fail "two hand-ins are Moodle's"

# The reports go to Moodle's students by folders that are called as in its own archive.
expect 0 "$CUGRADE" export moodle graded --to feedback.zip
says stdout 'feedback.zip: 2 reports'
says stdout '  s2: not named by Moodle after a student of the roster'
"${PYTHON:-python3}" - <<'EOF' || fail "feedback.zip"
import zipfile

with zipfile.ZipFile("feedback.zip") as archive:
    found = {}
    for path in archive.namelist():
        folder, file = path.split("/")
        name, number, *plugin, rest = folder.split("_", 4)  # as Moodle's importer does
        assert plugin == ["assignsubmission", "file"] and rest == "", path
        found[int(number)] = (name, file, archive.read(path))
    reports = "graded/reports/patterns/"
    assert found == {
        1234567: ("Ada Lovelace", "report.html", open(reports + "s1.html", "rb").read()),
        7: ("Dan Brown 7 assignsubmission file student", "report.html",
            open(reports + "Dan Brown_7_assignsubmission_file_student.html", "rb").read())}, found
EOF
expect 1 "$CUGRADE" export moodle graded --to feedback.zip -a scan
says stderr 'no hand-in of `scan` has a number of Moodle'

# The same hand-ins under the students' ids are the same submissions: their cases and reports are.
mkdir again
cp "$solution" again/s1.cu
cp "$stub" again/s2.cu
batch 0 graded --roster roster.csv --resume
says stdout '4 of 4 are graded already'
expect 0 "$CUGRADE" batch again -a patterns --task map --backend emulator --out graded2 --roster roster.csv
"${PYTHON:-python3}" - graded{,2}/reports/patterns/s1.json <<'EOF' || fail "other cases"
import json
import sys

data = [[case.get("data_sha256") for case in json.load(open(name))["tasks"][0]["cases"]] for name in sys.argv[1:]]
assert len(set(data[0])) > 10 and data[0] == data[1], data
EOF
[ ! -e graded2/moodle-patterns.csv ] || fail "a worksheet without Moodle's numbers"

# Moodle's grading worksheet says when hand-ins came, in the zone of whoever downloaded it.
sed 's/^  patterns:/  patterns:\n    deadline: 2026-11-30T22:59:00Z\n    late: {per_day: 0.1, days: 2}/' "$SOURCE/grading.yaml" >late.yaml
cat >worksheet.csv <<'EOF'
Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Grade can be changed","Last modified (submission)","Last modified (grade)","Feedback comments"
"Participant 1234567","Ada Lovelace",ada@x.edu,"Submitted for grading - ",,30.00,Yes,"Tuesday, 1 December 2026, 12:00 AM",-,
"Participant 1234568","Bob Stroud",,"No submission - ",,30.00,Yes,-,-,
EOF
batch 0 graded --roster roster.csv --resume --policy late.yaml --submitted worksheet.csv --time-zone Europe/Berlin
says stderr 'the class was graded under another policy'
says stdout 's1 (patterns): 1 day late: 30 -> 27'
says stdout '  s2 (patterns): stroudbob_LATE_88_90210_student-1.cu'
grep -q '^Participant 1234567,Ada Lovelace,ada@x.edu,27,30,,' graded/moodle-patterns.csv || fail "the mark for Moodle"
batch 0 graded --roster roster.csv --resume --policy late.yaml --submitted worksheet.csv --time-zone +02:00
grep 's1 (patterns): 1 day late' stdout && fail "at 22:00 UTC it was in time"
printf 'id,submitted_at\ns2,2026-12-01T08:00:00Z\n' >times.csv
batch 0 graded --roster roster.csv --resume --policy late.yaml --submitted times.csv
grep 'Late by Canvas' stdout && fail "its time is known"
batch 1 graded --roster roster.csv --resume --policy late.yaml --submitted worksheet.csv
says stderr 'do not say their zone'
batch 1 graded --roster roster.csv --resume --policy late.yaml --submitted worksheet.csv --time-zone Europe/Bärlin
says stderr 'there is no time zone `Europe/Bärlin`'
sed 's/Participant 1234567/Participant 99/' worksheet.csv >other.csv
batch 1 graded --roster roster.csv --resume --policy late.yaml --submitted other.csv --time-zone Europe/Berlin
says stderr 'no hand-in has a number of this worksheet'
batch 0 graded --roster roster.csv

# Old marks do not lie beside a gradebook that has others.
cp graded/moodle-patterns.csv graded/moodle-scan.csv
expect 0 "$CUGRADE" batch again -a patterns --task map --backend emulator --out graded --resume --roster roster.csv
[ ! -e graded/moodle-patterns.csv ] && [ ! -e graded/moodle-scan.csv ] || fail "a worksheet of hand-ins that are gone"
[ -e graded/canvas.csv ] || fail "the marks for Canvas"
expect 0 "$CUGRADE" batch again -a patterns --task map --backend emulator --out graded --resume
[ ! -e graded/canvas.csv ] || fail "marks for Canvas without a roster"

# Two hand-ins of one student.
cp "$stub" class/s1.cu
batch 2 graded3 --roster roster.csv
says stdout 's1 (patterns): two submissions: '
grep -q '^s1,patterns,,,,,harness_error' graded3/gradebook.csv || fail "neither counts"
grep -q Ada graded3/canvas.csv && fail "a mark for a submission that is not graded"

printf 'id,mail\ns1,x\n' >wrong.csv
batch 1 graded4 --roster wrong.csv
says stderr 'wrong.csv:1: unknown column `mail`'
batch 1 graded4 --roster none.csv
says stderr 'none.csv'
[ ! -e graded4 ] || fail "a folder of nothing"

# A roster by which no hand-in can be told is refused, before it makes a class of strangers.
cut -d, -f1,3 roster.csv >no_names.csv
batch 1 graded --roster no_names.csv --resume
says stderr "Moodle names hand-ins by the students' names, and the roster has none: add the column name"
cut -d, -f1,2 roster.csv | sed 's/"Curie, Marie"/Curie/; s/"Curie/Curie/' >no_numbers.csv
batch 1 graded --roster no_numbers.csv --resume
says stderr 'add the column lms_id'
grep -q '^s1,patterns,30,30,30,' graded/gradebook.csv || fail "what was graded is lost"
printf 'id,name\ns1,Ad\351 Lovelace\n' >latin.csv
batch 1 graded --roster latin.csv --resume
says stderr 'latin.csv:2: it is not UTF-8'
printf 'id,Name\ns1,Ada Lovelace\n' >capital.csv
batch 1 graded --roster capital.csv --resume
says stderr 'write it in small letters'

# Who has handed in nothing is no unknown student, and has no line in Moodle's file.
batch 1 graded --roster roster.csv --only s3
says stderr 's3 has handed in nothing'
batch 1 graded --roster roster.csv --only s1 --secret-file nowhere
says stderr 'nowhere: cannot read the secret: No such file or directory'
head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n' >secret && chmod 600 secret
batch 1 graded --roster roster.csv --only s1 --secret-file secret
says stderr 'not as it was when the others were graded: the secret (--secret-file)'
expect 0 "$CUGRADE" override graded s3 --points 5 --reason oral --author me
says stdout 'moodle-patterns.csv has no line for this mark'

# Teams: Moodle names the group and its member, and since 4.1 the group alone, whose number is no student's.
cat >groups.csv <<'EOF'
id,name,group
s1,Ada Lovelace,Group A
s2,Anne-Marie Curie,Group A
s3,Bob Stroud,Group-B
s4,Cy Young,
EOF
mkdir -p "old/Group A-Ada Lovelace_11_assignsubmission_file_" "old/Group-B-Anne-Marie Curie_12_assignsubmission_file_" \
    "new/Group A_77_assignsubmission_file" new/Group-B "new/Default group_assignsubmission_file"
for folder in old/* new/*; do cp "$stub" "$folder/student.cu"; done
batch_of() { expect 0 "$CUGRADE" batch "$1" -a patterns --task map --backend emulator --no-timing --out "$2" "${@:3}"; }
batch_of old teams --roster groups.csv
[ "$(cut -d, -f1 teams/gradebook.csv | xargs)" = 'student s1 s2 s3 s4' ] || fail "old teams: $(cat teams/gradebook.csv)"
[ "$(cut -d, -f1,2 teams/moodle-patterns.csv | tail -n +2 | xargs -d'\n')" = \
    'Participant 11,Ada Lovelace Participant 12,Anne-Marie Curie' ] || fail "old teams: $(cat teams/moodle-patterns.csv)"
batch_of new teams2 --roster groups.csv
[ "$(grep -c ',unwritten_output,' teams2/gradebook.csv)" = 4 ] || fail "new teams: $(cat teams2/gradebook.csv)"
says stdout '  new/Default group_assignsubmission_file'
says stdout '  s4 (patterns)'
[ ! -e teams2/moodle-patterns.csv ] || fail "a group's number is no student's"
cat >worksheet.csv <<'EOF'
Identifier,"Full name",Status,Grade,"Maximum Grade","Last modified (submission)"
"Participant 11","Ada Lovelace",-,,30.00,"Tuesday, 1 December 2026, 12:00 AM"
"Participant 12","Anne-Marie Curie",-,,30.00,"Monday, 30 November 2026, 11:00 PM"
"Participant 13","Bob Stroud",-,,30.00,"Tuesday, 1 December 2026, 12:00 AM"
EOF
batch_of new teams2 --roster groups.csv --resume --policy late.yaml --submitted worksheet.csv --time-zone Europe/Berlin
for late in s1 s3; do says stdout "$late (patterns): 1 day late"; done
grep 's2 (patterns): 1 day late' stdout && fail "the worksheet has a time of her own"
expect 1 "$CUGRADE" export moodle teams2 --to feedback.zip
says stderr 'no hand-in has a number of Moodle'

# Hidden names: one word for everybody, in Moodle's language. Its numbers are all that the marks need.
for number in 31 32; do
    mkdir -p "hidden/Teilnehmerin_${number}_assignsubmission_file_"
    cp "$stub" "hidden/Teilnehmerin_${number}_assignsubmission_file_/a.cu"
done
batch_of hidden blind
says stdout 'For Moodle:  blind/moodle-patterns.csv'
[ "$(cut -d, -f1-5 blind/moodle-patterns.csv | tail -n +2 | xargs -d'\n')" = 'Participant 31,,,0,30 Participant 32,,,0,30' ] ||
    fail "hidden names: $(cat blind/moodle-patterns.csv)"
expect 0 "$CUGRADE" export moodle blind --to feedback.zip
says stdout 'feedback.zip: 2 reports'
