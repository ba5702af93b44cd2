#!/usr/bin/env bash
# Builds, tests and measures on a machine with a GPU, in one call: gpu.sh OUT
#
# Everything goes to files below OUT; a short table comes last. Parts can be chosen:
# GPU_PARTS="tests doctor submissions times" (default: these). More: `cheats` grades tests/cheats and prints how
# each was caught (`tests` does it, too, and prints no table); `stability` grades the submissions of GPU_STABILITY
# (ASSIGNMENT/TASK:FILE; default: six, the last two near a tier) GPU_TIMES times (default: 30); `two` grades 60
# test submissions on one GPU and on two, `rest` all others; `claims` compares claims with audits in all reports
# below OUT; `speedups` writes OUT/speedups.tsv, from what these graded, and by grading what they did not;
# `references` times the model answers beside CUB, cuDNN and a copy; `curves` makes the sweep of reduction/sum and
# the roofline of each model answer; `published` repeats a published report; `wake` tells how steady times by the
# grader's clock can be here. `all` is each of these. The exit code is 1 if one of them failed.
set -uo pipefail
cd "$(dirname "$0")/.."
out=$1
parts=${GPU_PARTS:-tests doctor submissions times}
all="tests doctor submissions times references two rest stability claims speedups curves published wake"
[ "$parts" = all ] && parts=$all
for part in $parts; do
    [[ " $all cheats " = *" $part "* ]] || { echo "gpu.sh: there is no part \`$part\`; there are $all cheats, and all alone for all but cheats" >&2; exit 1; }
done
mkdir -p "$out"
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-/tmp/cugrade-gpu-cache}
cugrade=build/release/bin/cugrade
bench=build/release/bin/cugrade-bench
gpus=${CUDA_VISIBLE_DEVICES:-$(nvidia-smi --query-gpu=index --format=csv,noheader | paste -sd, -)}
six=(
    reduction/sum:reference/reduction/solution.cu
    histogram/bytes:reference/histogram/solution.cu
    scan/inclusive_int:reference/scan/solution.cu
    reduction/sum:tests/submissions/reduction/correct/first_add_during_load.cu
    convolution/conv2d_float:tests/submissions/convolution/correct/tiled_input_2d.cu
    convolution/conv2d_float:tests/submissions/convolution/correct/interior_and_border_2d.cu
)
table=()
failed=0

# step NAME COMMAND...: runs it, keeps its output, remembers result and time.
step() {
    local name=$1 start end state=ok
    shift
    start=$(date +%s.%N)
    "$@" >"$out/$name.log" 2>&1 || { state="FAILED ($?)"; failed=1; }
    end=$(date +%s.%N)
    table+=("$(printf '%-22s %-12s %7.1f s  %s' "$name" "$state" "$(echo "$end $start" | awk '{print $1 - $2}')" \
        "$(tail -n 1 "$out/$name.log" | cut -c1-100)")")
    [ "$state" = ok ]
}

# The schema test needs python3-jsonschema, which says nothing about a GPU.
configure() { cmake --preset release -DCUGRADE_DEVELOPER_BUILD=ON -DCUGRADE_SCHEMA_TEST=OFF; }

step configure configure && step build cmake --build --preset release || {
    printf '%s\n' "${table[@]}"
    tail -n 40 "$out"/{configure,build}.log
    exit 1
}
for part in $parts; do
    case $part in
        tests) step tests ctest --preset release -LE submissions -j8 ;;
        doctor)
            step doctor-gpu $cugrade doctor --backend gpu
            step doctor-emulator $cugrade doctor --backend emulator
            ;;
        submissions) step submissions-gpu python3 tests/submissions/run.py --cugrade $cugrade --backend gpu --jobs 8 ;;
        cheats)
            step cheats python3 tests/cheats/run.py --cugrade $cugrade --out "$out/cheats"
            cat "$out/cheats.log"
            ;;
        stability)
            read -ra stability <<<"${GPU_STABILITY:-${six[*]}}"
            step stability python3 tests/hardware/stability.py --cugrade $cugrade --times "${GPU_TIMES:-30}" --gpus "$gpus" \
                --out "$out/stability" "${stability[@]}"
            cat "$out/stability.log"
            ;;
        two)
            step two python3 tests/hardware/two_gpus.py --cugrade $cugrade --out "$out/two"
            cat "$out/two.log"
            ;;
        rest)
            step rest python3 tests/hardware/two_gpus.py --cugrade $cugrade --out "$out/two" --rest
            cat "$out/rest.log"
            ;;
        claims)
            step claims python3 tests/hardware/claims.py "$out"
            cat "$out/claims.log"
            ;;
        speedups)
            step speedups python3 tests/hardware/speedups.py --cugrade $cugrade --out "$out/speedups.tsv" \
                --reports "$out/two/two/reports" --reports "$out/two/rest/reports"
            ;;
        references)
            step references-build cmake --build --preset release --target cugrade_bench_references &&
                step references $bench references
            cat "$out/references.log"
            ;;
        wake)
            step wake $bench wake
            cat "$out/wake.log"
            ;;
        published)
            step published-build cmake --build --preset release --target cugrade_bench_published_report &&
                step published $bench published
            cat "$out/published.log"
            ;;
        curves)
            ladder=tests/submissions/reduction/correct
            step sweep $cugrade sweep reduction/sum -s $ladder/one_atomic_per_block.cu -s $ladder/first_add_during_load.cu \
                --out "$out/sweep"
            for folder in reference/*/; do
                id=$(basename "$folder")
                [ -f "$folder/solution.cu" ] || continue
                step "roofline-$id" $cugrade roofline "$folder/solution.cu" -a "$id" --out "$out/roofline-$id"
            done
            cat "$out"/sweep.log "$out"/roofline-*.log
            ;;
        times)
            for folder in reference/*/; do
                id=$(basename "$folder")
                [ -f "$folder/solution.cu" ] || continue
                step "solution-$id" $cugrade check "$folder/solution.cu" -a "$id" --backend gpu --format json --out "$out/solution-$id.json"
            done
            step times python3 tests/hardware/times.py "$out"
            cat "$out/times.log"
            ;;
    esac
done
nvidia-smi --query-gpu=name,driver_version,clocks.sm,temperature.gpu --format=csv,noheader
printf '%s\n' "${table[@]}"
exit $failed
