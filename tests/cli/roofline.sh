#!/usr/bin/env bash
# `cugrade roofline`: points that can be worked out by hand, tasks that have none, and the figure.
. "$(dirname "$0")/common.bash"
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
map='d["tasks"][0]'
json out/roofline.json 'd["format"] == "cugrade-roofline" and d["basis"] == "modelled" and len(d["tasks"]) == 1'
json out/roofline.json 'abs('"$map"'["bytes"] / (33554432 * 8) - 1) < 1e-3'
json out/roofline.json '3 * 33554432 <= '"$map"'["operations"] <= 12 * 33554432 and '"$map"'["doubles"] == 0'
json out/roofline.json "$map"'["roof"] == "memory" and 0.9 < '"$map"'["share"] <= 1 and '"$map"'["limited_by"] == "DRAM"'
json out/roofline.json 'abs('"$map"'["bytes"] / '"$map"'["median_us"] / 1e3 / d["roofs"]["bandwidth_gb_s"] - '"$map"'["share"]) < 1e-6'
valid out/roofline.json roofline.schema.json
[ "$(wc -l <out/roofline.csv)" = 2 ] || fail "not one row in the CSV file"
if command -v gnuplot >gnuplot; then
    says stdout 'Figure: out/roofline.svg'
    for title in map 'of doubles: 16727 Gop/s'; do
        grep -qF "$title" out/roofline.svg || fail "the figure has no $title"
    done
fi

# What is wrong has no point, and a task without a model neither; the figure is drawn all the same.
roofline 0 "$SOURCE/tests/submissions/patterns/wrong/map_half_precision.cu" -a patterns --task map --out wrong
says stdout 'wrong_answer'
json wrong/roofline.json "$map"'["verdict"] == "wrong_answer" and "bytes" not in '"$map"
roofline 0 "$SOURCE/reference/atomics_lock/baseline.cu" -a atomics_lock --task transfers --out locks
says stdout 'has no `model`'

# On a GPU: measured.
if nvidia-smi >nvidia 2>&1; then
    expect 0 "$CUGRADE" roofline "$SOURCE/reference/patterns/solution.cu" -a patterns --task map --out measured
    valid measured/roofline.json roofline.schema.json
    json measured/roofline.json 'd["basis"] == "measured" and '"$map"'["samples"] >= 5'
    json measured/roofline.json '0.2 < '"$map"'["share"] < 1.2'
fi
