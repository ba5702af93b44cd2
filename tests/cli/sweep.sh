#!/usr/bin/env bash
# `cugrade sweep`: without a GPU it says so, and models what it is asked to; a wrong program has no
# times; CSV, JSON and figure hold the same.
. "$(dirname "$0")/common.bash"
with_gnuplot
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
says stdout 'Figure: out/sweep.svg'
json out/sweep.json format is cugrade-sweep
json out/sweep.json schema_version is 1
json out/sweep.json basis is modelled
json out/sweep.json sizes/all/n is 16 32 64 128 256 1000
json out/sweep.json programs/all/name is 'CPU oracle' baseline solution map_grid_stride other/map_grid_stride wrong
json out/sweep.json programs/all/basis is 'wall clock' modelled modelled modelled modelled modelled
json out/sweep.json programs/:5/points/all/verdict each accepted
json out/sweep.json programs/:5/points/all/median_us above 0
json out/sweep.json programs/5/points/all/verdict each wrong_answer
json out/sweep.json programs/5/points/all without median_us
json out/sweep.json sizes/0/bytes is $((16 * 8))
json out/sweep.json sizes/5/parameters is n=1000
json out/sweep.json programs/3/points/all/median_us equals programs/4/points/all/median_us
valid out/sweep.json docs/sweep.schema.json
# What is smaller than the model's cases is not continued from them: less data takes no longer.
sweep 0 convolution/conv1d --backend emulator --sizes 2^2,2^16 --out small
json small/sweep.json programs/1:/points/0/median_us ratio-below 1.5 programs/1:/points/1/median_us
json small/sweep.json programs/all/name is 'CPU oracle' baseline solution
report sweep-table out/sweep.json out/sweep.csv || fail "CSV and JSON differ"

# The figure; and what is said if there is no gnuplot.
grep -q '<svg' out/sweep.svg || fail "no SVG"
for title in baseline solution map_grid_stride 'wrong: no times' roof; do
    grep -qF "$title" out/sweep.svg || fail "the figure has no $title"
done
sweep 0 patterns/map --backend emulator --sizes 2^4..2^8 --out out --figure png
says stdout 'Figure: out/sweep.png'
[ "$(head -c 4 out/sweep.png | tail -c 3)" = PNG ] || fail "no PNG"
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
    valid measured/sweep.json docs/sweep.schema.json
    json measured/sweep.json basis is measured
    json measured/sweep.json roof/bandwidth_gb_s above 10
    json measured/sweep.json programs/all/basis is 'wall clock' events events events events
    json measured/sweep.json programs/1:4/points/all/samples above 4
    json measured/sweep.json programs/4/points/2/verdict is wrong_answer
    json measured/sweep.json programs/2/points/2/median_us ratio-below 0.1 programs/1/points/2/median_us
fi
