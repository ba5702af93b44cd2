#!/usr/bin/env bash
# `cugrade roofline`: points that can be worked out by hand, tasks that have none, and the figure.
. "$(dirname "$0")/common.bash"
with_gnuplot
roofline() { expect "$1" "$CUGRADE" roofline "${@:2}" --backend emulator; }

roofline 1 "$SOURCE/reference/patterns/solution.cu" -a patterns --task mep
says stderr 'did you mean `map`'
roofline 1 "$SOURCE/reference/patterns/solution.cu" -a patterns --ptx 90
says stderr 'compute_75'
roofline 1 nothing.cu -a patterns
says stderr 'nothing.cu'
printf '#include "interface.cuh"\n' >empty.cu
roofline 1 empty.cu -a patterns --task map
says stderr 'defines none of the functions'
roofline 1 "$SOURCE/reference/patterns/solution.cu" -a patterns --task map --out /etc/passwd
says stderr 'name a place in a folder that is there'
[ ! -e roofline-patterns ] || fail "a folder without a roofline"

# A read and a write of a float per element; at least three multiply-adds, and some work for indices.
roofline 0 "$SOURCE/reference/patterns/solution.cu" -a patterns --task map --out out
says stdout 'modelled, not measured'
says stdout 'of memory'
map=tasks/0
n=33554432
json out/roofline.json format is cugrade-roofline
json out/roofline.json basis is modelled
json out/roofline.json tasks/all/name is map
json out/roofline.json $map/bytes above $((8 * n - 8 * n / 1000))
json out/roofline.json $map/bytes not-above $((8 * n + 8 * n / 1000))
json out/roofline.json $map/operations above $((3 * n - 1))
json out/roofline.json $map/operations not-above $((12 * n))
json out/roofline.json $map/doubles is 0
json out/roofline.json $map/roof is memory
json out/roofline.json $map/share above 0.9
json out/roofline.json $map/share not-above 1
json out/roofline.json $map/limited_by is DRAM
report roofline-share out/roofline.json || fail "the share of the roof"
valid out/roofline.json docs/roofline.schema.json
[ "$(wc -l <out/roofline.csv)" = 2 ] || fail "not one row in the CSV file"
says stdout 'Figure: out/roofline.svg'
says out/roofline.gp 'doubles = 16727'
for title in map 'of doubles: '; do
    grep -qF "$title" out/roofline.svg || fail "the figure has no $title"
done

# What is wrong has no point, and a task without a model neither; the figure is drawn all the same.
roofline 0 "$SOURCE/tests/submissions/patterns/wrong/map_half_precision.cu" -a patterns --task map --out wrong
says stdout 'wrong_answer'
json wrong/roofline.json $map/verdict is wrong_answer
json wrong/roofline.json $map without bytes
roofline 0 "$SOURCE/reference/atomics_lock/baseline.cu" -a atomics_lock --task transfers --out locks
says stdout 'has no `model`'

# On a GPU: measured.
if nvidia-smi >nvidia 2>&1; then
    expect 0 "$CUGRADE" roofline "$SOURCE/reference/patterns/solution.cu" -a patterns --task map --out measured
    valid measured/roofline.json docs/roofline.schema.json
    json measured/roofline.json basis is measured
    json measured/roofline.json $map/samples above 4
    json measured/roofline.json $map/share above 0.2
    json measured/roofline.json $map/share not-above 1.2
fi
