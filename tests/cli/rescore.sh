#!/usr/bin/env bash
# `rescore` gives what grading under that policy gives, and runs nothing; `compare` names exactly the changed.
. "$(dirname "$0")/common.bash"

mkdir class
for file in correct/map_powers correct/map_vector4 correct/map_grid_stride wrong/map_last_element_missing \
    wrong/map_2048_threads wrong/does_not_compile; do
    cp "$SOURCE/tests/submissions/patterns/$file.cu" class/
done
cp "$SOURCE/reference/patterns/solution.cu" class/ada.cu
cat >roster.csv <<'END'
id,name,lms_id
ada,Ada Lovelace,5107
bob,Bob Stroud,88
END
batch() { expect 0 "$CUGRADE" batch class -a patterns --task map --backend emulator --roster roster.csv "$@"; }
batch --out graded -f junit
cp -r graded before

# Under the same policy nothing is another byte, but for the time at which it was computed.
expect 0 "$CUGRADE" rescore graded --policy "$SOURCE/grading.yaml"
says stdout '7 rescored, 0 have other points'
says stdout 'For staff:   graded/index.html'
diff -r before graded -x 'record.db*' -x .lock || fail "the same policy, other files"
expect 0 "$CUGRADE" compare before graded
says stdout '0 of 7 marks differ'

# Tiers, a limit of another counter, weights: as a batch under that policy would have it. The last tier is one that
# nobody reaches, so marks change whatever the model says of these submissions.
sed -e 's/{speedup: 2, credit: 0.25}, {speedup: 4, credit: 0.5}, {speedup: 8, credit: 1}/{speedup: 2, credit: 0.6}, {speedup: 1000, credit: 1}/' \
    -e 's/map: {correctness: 17, technique: {points: 3, limits: {sectors_per_needed: {max: 1.5}}}/map: {correctness: 15, technique: {points: 4, limits: {host_launches: {max: 1}, sectors_per_request: {max: 5}}}/' \
    "$SOURCE/grading.yaml" >new.yaml
cmp -s new.yaml "$SOURCE/grading.yaml" && fail "the policy is the same"
batch --out graded_anew --policy new.yaml -f junit
expect 0 "$CUGRADE" rescore graded --policy new.yaml --out rescored
cmp graded_anew/gradebook.csv rescored/gradebook.csv || fail "other points than grading gives"
cmp graded_anew/canvas.csv rescored/canvas.csv || fail "another file for Canvas"
[ -e rescored/reports/patterns/ada.junit.xml ] || fail "a format is lost: $(ls rescored/reports/patterns)"
diff -r before graded -x 'record.db*' -x .lock || fail "--out changes the other folder"
"${PYTHON:-python3}" - <<'END' || fail "reports"
import json, pathlib
for file in pathlib.Path("rescored/reports/patterns").glob("*.json"):
    now, then = json.loads(file.read_text()), json.loads((pathlib.Path("graded_anew/reports/patterns") / file.name).read_text())
    for task, other in zip(now["tasks"], then["tasks"], strict=True):
        for key in ("score", "correctness", "technique", "verdict"):
            assert task.get(key) == other.get(key), (file.name, key, task.get(key), other.get(key))
        for key in ("earned", "judged", "possible", "credit"):
            assert task["performance"][key] == other["performance"][key], (file.name, key)
END
expect 0 "$CUGRADE" verify rescored/reports/patterns/*.json

# Exactly the changed are named, with the reason.
expect 0 "$CUGRADE" compare graded rescored
cp stdout told
"${PYTHON:-python3}" - <<'END' || fail "compare: $(cat told)"
import csv, re
points = [{row["student"]: (row["earned"], row["judged"], row["possible"]) for row in csv.DictReader(open(f"{name}/gradebook.csv"))}
          for name in ("graded", "rescored")]
changed = {student for student in points[0] if points[0][student] != points[1][student]}
told = set(re.findall(r"(?m)^(\w+) \(patterns\): ", open("told").read()))
assert told == changed and 0 < len(changed), (told, changed)
END
says told 'speed 10 -> 6'
says told 'another policy'
sed -e 's/correctness: 15/correctness: 15.5/' new.yaml >newer.yaml
batch --out rescored --policy new.yaml --resume
says stdout '7 of 7 are graded already'

# What has not run cannot be scored: nothing is changed, and the message says what to do.
refused() {
    expect 1 "$CUGRADE" rescore graded --policy "$1"
    says stderr "$2"
    says stderr 'cugrade batch --resume'
    diff -r before graded -x 'record.db*' -x .lock || fail "something was written"
}
sed 's/wall: 20 /wall: 19 /' "$SOURCE/grading.yaml" >limits.yaml
cmp -s limits.yaml "$SOURCE/grading.yaml" && fail "the limits are the same"
refused limits.yaml 'the policy has other limits'
expect 1 "$CUGRADE" rescore graded --policy new.yaml --out rescored
says stderr 'there is a graded class already'
expect 1 "$CUGRADE" rescore class --policy new.yaml
says stderr 'there is no record of a class (record.db)'

# By which policy is never guessed: the class may have one of its own.
expect 1 "$CUGRADE" rescore graded
says stderr '--policy is required'

# Who hands in anew has another attempt, and the marks tell.
cp "$SOURCE/student_template/patterns/student.cu" class/ada.cu
batch --out graded --resume
expect 0 "$CUGRADE" compare before graded
says stdout 'ada (patterns): 30 -> 0 of 30; '
says stdout 'another hand-in (attempt 2)'
says stdout '1 of 7 marks differ'

# A line that somebody has written is not believed.
"${PYTHON:-python3}" -c "import sqlite3
with sqlite3.connect('graded/record.db') as record: record.execute('UPDATE grading SET facts = replace(facts, \"false\", \"true\")')"
expect 2 "$CUGRADE" rescore graded --policy new.yaml
says stderr 'was not written by the grader with this key'
