#!/usr/bin/env bash
# `cugrade sweep`: without a GPU it says so, and models what it is asked to; a wrong program has no
# times; CSV, JSON and figure hold the same.
. "$(dirname "$0")/common.bash"
submissions=$SOURCE/tests/submissions/patterns
sweep() { expect "$1" "$CUGRADE" sweep "${@:2}"; }

# What cannot be swept is told before anything is compiled.
sweep 1 reduction
says stderr 'reduction/sum'
sweep 1 patterns/mep
says stderr 'did you mean `map`'
sweep 1 patterns/map --sizes 2^1..x
says stderr '`x` is no size'
sweep 1 patterns/map --figure gif
sweep 1 patterns/map --backend emulator --ptx 90
says stderr 'compute_75'
sweep 1 atomics_lock/add_double --backend emulator --sizes 4
says stderr 'there is no time model of atomics_lock/add_double'
if ! nvidia-smi >nvidia 2>&1; then
    sweep 1 patterns/map
    says stderr '--backend emulator'
    sweep 2 patterns/map --backend gpu
    says stderr 'no usable GPU'
fi
sweep 1 patterns/map --backend emulator --submission nothing.cu
says stderr 'nothing.cu'
printf '#include "interface.cuh"\nvoid gather(' >broken.cu
sweep 1 patterns/map --backend emulator --submission broken.cu --sizes 2
says stderr 'broken.cu'
printf '#include "interface.cuh"\n' >empty.cu
sweep 1 patterns/map --backend emulator --submission empty.cu --sizes 2
says stderr 'it does not define `map_cubic`'

[ -z "$(find . -name 'sweep-*')" ] || fail "a folder without a sweep"

# A right program, a wrong one, and the right one under another name.
mkdir other
cp "$submissions/correct/map_grid_stride.cu" other/
cp "$submissions/wrong/map_half_precision.cu" wrong.cu
sweep 0 patterns/map --backend emulator --sizes 2^4..2^8,1000 --out out \
    -s "$submissions/correct/map_grid_stride.cu" -s other/map_grid_stride.cu -s wrong.cu
says stdout 'modelled, not measured'
says stdout 'wrong, n = 2^4: wrong_answer'
says stdout 'Which is faster, by the model'
json out/sweep.json 'd["format"] == "cugrade-sweep" and d["schema_version"] == 1 and d["basis"] == "modelled"'
json out/sweep.json '[s["n"] for s in d["sizes"]] == [16, 32, 64, 128, 256, 1000]'
json out/sweep.json '[p["name"] for p in d["programs"]] == ["CPU oracle", "baseline", "solution", "map_grid_stride", "other/map_grid_stride", "wrong"]'
json out/sweep.json '[p["basis"] for p in d["programs"]] == ["wall clock"] + 5 * ["modelled"]'
json out/sweep.json 'all(q["verdict"] == "accepted" and q["median_us"] > 0 for p in d["programs"][:5] for q in p["points"])'
json out/sweep.json 'all(q["verdict"] == "wrong_answer" and "median_us" not in q for q in d["programs"][5]["points"])'
json out/sweep.json 'd["sizes"][0]["bytes"] == 16 * 8 and d["sizes"][5]["parameters"] == "n=1000"'
json out/sweep.json '[q["median_us"] for q in d["programs"][3]["points"]] == [q["median_us"] for q in d["programs"][4]["points"]]'
valid out/sweep.json sweep.schema.json
# What is smaller than the model's cases is not continued from them: less data takes no longer.
sweep 0 convolution/conv1d --backend emulator --sizes 2^2,2^16 --out small
json small/sweep.json 'all(p["points"][0]["median_us"] < 1.5 * p["points"][1]["median_us"] for p in d["programs"][1:])'
json small/sweep.json 'len(d["programs"]) == 3'
python3 - <<'P' || fail "CSV and JSON differ"
import csv, json
d = json.load(open("out/sweep.json"))
rows = list(csv.DictReader(open("out/sweep.csv")))
want = [(p["name"], q["n"], q["verdict"], q.get("median_us")) for p in d["programs"] for q in p["points"]]
assert len(rows) == len(want)
for row, (name, n, verdict, us) in zip(rows, want):
    assert (row["who"], int(row["n"]), row["verdict"]) == (name, n, verdict)
    assert (row["median_us"] == "") == (us is None)
    assert us is None or abs(float(row["median_us"]) - us) <= 1e-5 * us
P

# The figure, if there is a gnuplot; and what is said if there is none.
if command -v gnuplot >gnuplot; then
    says stdout 'Figure: out/sweep.svg'
    grep -q '<svg' out/sweep.svg || fail "no SVG"
    for title in baseline solution map_grid_stride 'wrong: no times' roof; do
        grep -qF "$title" out/sweep.svg || fail "the figure has no $title"
    done
    sweep 0 patterns/map --backend emulator --sizes 2^4..2^8 --out out --figure png
    [ "$(head -c 4 out/sweep.png | tail -c 3)" = PNG ] || fail "no PNG"
fi
# Everything that is in the usual folders, but for gnuplot.
mkdir bin
nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc)
for tool in /usr/bin/* /bin/*; do
    case ${tool##*/} in gnuplot*) ;; *) ln -sf "$tool" bin/ ;; esac
done
expect 0 env PATH="$work/bin" CUGRADE_NVCC="$nvcc" \
    "$CUGRADE" sweep patterns/map --backend emulator --sizes 64 --out 'no figure'
says stdout 'Install the package gnuplot-nox'
says stdout "no figure' && gnuplot sweep.gp"
[ -s 'no figure/sweep.csv' ] || fail "no CSV"

# On a GPU: measured, the lines in their order, and what is wrong has no time.
if nvidia-smi >nvidia 2>&1; then
    sweep 0 reduction/sum --sizes 2^4,2^12,2^22 --out measured \
        -s "$SOURCE/tests/submissions/reduction/correct/halves.cu" \
        -s "$SOURCE/tests/submissions/reduction/wrong/first_block_only.cu"
    valid measured/sweep.json sweep.schema.json
    json measured/sweep.json 'd["basis"] == "measured" and d["roof"]["bandwidth_gb_s"] > 10'
    json measured/sweep.json '[p["basis"] for p in d["programs"]] == ["wall clock"] + 4 * ["events"]'
    json measured/sweep.json 'all(q["samples"] >= 5 for p in d["programs"][1:4] for q in p["points"])'
    json measured/sweep.json 'd["programs"][4]["points"][2]["verdict"] == "wrong_answer"'
    json measured/sweep.json '10 * d["programs"][2]["points"][2]["median_us"] < d["programs"][1]["points"][2]["median_us"]'
fi
