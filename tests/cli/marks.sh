#!/usr/bin/env bash
# Marks in the end: lateness, extensions and a person's decisions, which outlive every grading.
. "$(dirname "$0")/common.bash"

mkdir class
for name in ada bob cy dan eve; do cp "$SOURCE/reference/patterns/solution.cu" "class/$name.cu"; done
sed 's/^  patterns:/  patterns:\n    deadline: 2026-11-30T23:59:00+01:00\n    late: {per_day: 0.1, days: 2, grace: 600}/' \
    "$SOURCE/grading.yaml" >policy.yaml
cat >times.csv <<'END'
id,submitted_at
ada,2026-11-30T23:08:59Z
bob,2026-11-30T23:09:01Z
cy,2026-12-02T22:58Z
dan,2026-12-03T00:00:00+01:00
END
cat >extensions.csv <<'END'
id,until,assignment,reason
dan,2026-12-05T00:00:00Z,patterns,illness
cy,2026-12-05T00:00:00Z,scan,another assignment
END
printf '%s\n' id,name,lms_id ada,Ada,1 bob,Bob,2 cy,Cy,3 dan,Dan,4 eve,Eve,5 >roster.csv
batch() {
    expect "$1" "$CUGRADE" batch class -a patterns --task map --backend emulator --out graded --policy policy.yaml \
        --roster roster.csv --submitted times.csv "${@:2}"
}
marks() {
    "${PYTHON:-python3}" - "$@" <<'END' || fail "marks: $(cat graded/gradebook.csv)"
import csv, sys
rows = {row["student"]: row for row in csv.DictReader(open("graded/gradebook.csv", newline=""))}
canvas = {row["Student"].lower(): row for row in list(csv.DictReader(open("graded/canvas.csv", newline="")))[1:]}
wanted = dict(word.split("=") for word in sys.argv[1:])
for student, mark in wanted.items():
    assert rows[student]["mark"] == mark, (student, rows[student]["mark"], mark)
    assert rows[student]["earned"] == "30", "the report's points stay"
    assert canvas[student]["Patterns: map, gather, scatter"] == mark, (student, canvas[student])
END
}

batch 0 --extensions extensions.csv
marks ada=30 bob=27 cy=24 dan=30 eve=30
says stdout 'bob (patterns): 1 day late: 30 -> 27'
says stdout 'cy (patterns): 2 days late: 30 -> 24'
says stdout 'dan (patterns): in time by an extension: illness'
# An extension holds, whoever forgets the table, until a table does not have it.
batch 0 --resume
marks ada=30 bob=27 cy=24 dan=30 eve=30
batch 0 --only ada
marks dan=30
printf '%s\n' id,until dann,2026-12-05T00:00:00Z >mistyped.csv
batch 0 --resume --extensions mistyped.csv
says stderr 'mistyped.csv: nobody of this class has the id dann'
marks ada=30 bob=27 cy=24 dan=0 eve=30
says stdout 'dan (patterns): 3 days late: no points after 2'

# A decision holds through a new grading and through rescore, with its reason, until it is withdrawn.
override() { expect "$1" "$CUGRADE" override graded --policy policy.yaml "${@:2}"; }
override 0 dan --points 15.5 --reason 'was ill, no extension asked for' --author prof
says stdout 'dan (patterns): 15.5 of 30; 30 -> 15.5 by prof, '
marks bob=27 dan=15.5
grep -q 'dan,.*was ill' graded/gradebook.csv || fail "the reason"
batch 0
marks bob=27 dan=15.5
sed 's/per_day: 0.1/per_day: 0.2/' policy.yaml >stricter.yaml
expect 0 "$CUGRADE" rescore graded --policy stricter.yaml
marks ada=30 bob=24 cy=18 dan=15.5
override 1 dan --withdraw --reason x
says stderr 'the class was graded under another policy'
expect 0 "$CUGRADE" rescore graded --policy policy.yaml
override 0 dan --withdraw --reason 'a mistake' --author prof
marks dan=0

# Who has handed in nothing, or for an exam on paper nobody has: a mark all the same, and it shows where it is from.
cp roster.csv all.csv
printf '%s\n' fay,Fay,6 >>roster.csv
batch 0 --resume
override 0 fay --points 12 --reason 'on paper' --author prof
says stdout 'fay (patterns): 12 of 30; no mark -> 12 by prof, '
override 0 ada -a scan --points 55.5 --reason 'an exam' --author prof
says stdout 'ada (scan): 55.5 of 100; no mark -> 55.5 by prof, '
for again in '' --resume; do
    batch 0 $again
    grep -q '^fay,patterns,,,,,missing,,,,12,"\?no mark -> 12 by prof, .*: on paper' graded/gradebook.csv || fail "fay: $(cat graded/gradebook.csv)"
    grep -q '^ada,scan,,,,,missing,,,,55.5,' graded/gradebook.csv || fail "an exam: $(cat graded/gradebook.csv)"
    grep -q '^Fay,6,,,,12,' graded/canvas.csv || fail "Fay's mark: $(cat graded/canvas.csv)"
    grep -q '^Ada,1,,,,30,55.5' graded/canvas.csv || fail "the exam: $(cat graded/canvas.csv)"
    says graded/index.html '<td class="n" title="no mark -&gt; 12 by prof'
done
cp -r graded before
sleep 1 # times are in seconds
override 0 fay --withdraw --reason 'she was not there' --author prof
says stdout 'fay (patterns): no mark of 30'
grep -q '^fay,patterns,,,,,missing,,,,,' graded/gradebook.csv || fail "withdrawn"
expect 0 "$CUGRADE" compare before graded
says stdout 'fay (patterns): 12 -> no mark; the decision is withdrawn by prof: she was not there; it was 12 by prof: on paper'
! grep -q 'was made before' stdout || fail "a later state taken for an earlier one"
# A copy of an earlier state takes nothing back, and compare says what it is.
expect 0 "$CUGRADE" compare graded before
says stdout '`before` was made before `graded` got its newest grading or decision'
says stdout 'fay (patterns): no mark -> 12'
override 1 ada -a skan --points 3 --reason x
says stderr 'did you mean `scan`?'
override 0 ada -a scan --withdraw --reason 'no exam' --author prof
grep -q '^ada,scan' graded/gradebook.csv && fail "a row of nothing"
cp all.csv roster.csv
batch 0 --resume

# What makes no sense is an error that says so.
override 1 dan --points 31 --reason x
says stderr '31 is not between 0 and 30'
override 1 dan --points 3
says stderr 'a decision needs a reason'
override 1 don --points 3 --reason x
says stderr 'did you mean `dan`?'
override 1 dan --reason x
says stderr 'give either points or --withdraw'
printf 'id,submitted_at\nada,2026-11-30T23:59:00\n' >times.csv
batch 1 --resume
says stderr 'times.csv:2: `2026-11-30T23:59:00` is no time'
printf 'id,time\n' >times.csv
batch 1 --resume
says stderr 'there is no column `submitted_at`'
says stderr "give Moodle's grading worksheet"
sed -i '/late: {per_day/d' policy.yaml
batch 1 --resume
says stderr 'a deadline needs a rule for what comes later'

# A decision that somebody else has written is not believed.
override_row="INSERT INTO decision SELECT NULL, assignment, 'ada', 0, reason, author, decided_at, mac FROM decision LIMIT 1"
"${PYTHON:-python3}" -c "import sqlite3, sys
with sqlite3.connect('graded/record.db') as record: record.execute(sys.argv[1])" "$override_row"
expect 2 "$CUGRADE" rescore graded --policy "$SOURCE/grading.yaml"
says stderr 'the decision about ada (patterns) was not written by the grader with this key'
