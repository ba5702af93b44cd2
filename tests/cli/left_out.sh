#!/usr/bin/env bash
# What the policy does not name is not graded, and an assignment.yaml that is wrong stops its own
# assignment only.
. "$(dirname "$0")/common.bash"
prefix=$(dirname "$(dirname "$CUGRADE")")
mkdir course
ln -s "$prefix"/{bin,lib,libexec} course/
cp -rL "$prefix/share" course/
export CUGRADE_HOME=$work/course
assignments=$work/course/share/cugrade/assignments
stub() { echo "$SOURCE/student_template/$1/student.cu"; }
check() { expect "$1" "$CUGRADE" check --backend emulator "${@:2}"; }

# A policy of one task of one assignment.
{
    sed '/^assignments:/,$d' "$SOURCE/grading.yaml"
    cat <<'E'
assignments:
  patterns:
    tasks:
      map: {correctness: 60, performance: 40, tiers: [{speedup: 4, credit: 1}]}
E
} >one.yaml
check 0 "$(stub patterns)" -a patterns --policy one.yaml --format json
json stdout tasks/all/name is map
json stdout score/possible is 100
check 1 "$(stub scan)" -a scan --policy one.yaml
says stderr 'the policy does not grade `scan`'
check 1 "$(stub patterns)" -a patterns --task gather --policy one.yaml
says stderr 'the policy does not grade the task `gather` of `patterns`'
expect 0 "$CUGRADE" list --policy one.yaml
says stdout 'scan           not graded'
says stdout 'gather             not graded'
expect 0 "$CUGRADE" list --policy one.yaml --format json
json stdout assignments/all/id is patterns
json stdout assignments/0/ungraded_tasks/all is gather scatter
json stdout left_out/all/id set scan reduction atomics_lock histogram convolution
json stdout left_out/all/broken each false
for wrong in 's/patterns:/pattern:/' 's/map:/mapp:/'; do
    sed "$wrong" one.yaml >typo.yaml
    check 1 "$(stub patterns)" -a patterns --policy typo.yaml
    says stderr 'did you mean `'
done

# A class: the folder of what is not graded is passed over with a line.
mkdir -p class/patterns class/scan
cp "$(stub patterns)" class/patterns/ada.cu
cp "$(stub scan)" class/scan/bob.cu
expect 0 "$CUGRADE" batch class --out graded --backend emulator --policy one.yaml
says stdout '1 of 1 graded'
says stdout 'class/scan: '
says stdout 'the policy does not grade `scan`'

# --task: only that; and a report of all tasks is another one.
expect 0 "$CUGRADE" batch class/patterns -a patterns --task map --task scatter --out tasks --backend emulator
json tasks/reports/patterns/ada.json tasks/all/name is map scatter
expect 0 "$CUGRADE" batch class/patterns -a patterns --task map --out tasks --backend emulator --resume
json tasks/reports/patterns/ada.json tasks/all/name is map
expect 1 "$CUGRADE" batch class/patterns -a patterns --task mop --out tasks --backend emulator
says stderr 'did you mean `map`?'

# A broken assignment.yaml.
sed -i 's/^id: scan/idd: scan/' "$assignments/scan/assignment.yaml"
check 0 "$(stub patterns)" -a patterns --task map
check 1 "$(stub scan)" -a scan
says stderr 'scan/assignment.yaml'
says stderr 'did you mean `id`?'
expect 0 "$CUGRADE" list
says stdout 'scan           broken: '
expect 0 "$CUGRADE" list --format json
json stdout left_out/all/id is scan
json stdout left_out/all/broken is true
expect 1 "$CUGRADE" batch class --out graded2 --backend emulator --task map
says stdout '1 of 1 graded'
says stdout 'scan/assignment.yaml'
expect 2 "$CUGRADE" doctor --quick --backend emulator
says stdout 'wrong    assignment scan: '
says stdout 'did you mean `id`?'
