#!/usr/bin/env bash
# Builds the fuzzers and runs them all at once, or those that are named: fuzz.sh [MINUTES [NAME]...]
#
#   ptx fatbin execute   PTX, what holds it, and its execution
#   requests             what a runner asks of the emulated GPU
#   protocol             what a runner, an emulator, a sandbox and an oracle tell the grader
#   build                what a student's build leaves: sources, messages, PTX, objects, names
#   yaml                 assignment.yaml, grading.yaml, devices, reports, keys
#   npy pgm png          data
#
# Without minutes it runs the corpus once. New inputs go to build/fuzz/found/; what crashes, leaks,
# hangs or takes more than 2 GiB ends the run and is left in build/fuzz/. Needs clang with libFuzzer
# (Debian: clang, libclang-rt-14-dev); CLANG names another one than clang++.
set -euo pipefail
cd "$(dirname "$0")/../.."
minutes=${1:-0}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(ptx fatbin execute requests protocol build yaml npy pgm png)
clang=${CLANG:-$(command -v clang++ || command -v clang++-14)} || {
    echo "fuzz.sh: no clang++; install clang and its libFuzzer (libclang-rt-14-dev)" >&2
    exit 1
}
cmake -S . -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER="$clang" -DCUGRADE_FUZZ=ON \
    -DCUGRADE_BENCH=OFF -DCUGRADE_SCHEMA_TEST=OFF >/dev/null
cmake --build build/fuzz --target "${targets[@]/#/fuzz_}"
corpus=$PWD/tests/fuzz/corpus
cd build/fuzz
# Of where memory was taken, a few frames tell enough, and all of them take half of the time.
export ASAN_OPTIONS=malloc_context_size=6:${ASAN_OPTIONS:-}
# Two runs of one target would write over each other's log. The fuzzers hold the locks to their end.
for target in "${targets[@]}"; do
    exec {lock}>"$target.lock"
    flock --nonblock "$lock" || {
        echo "fuzz.sh: $target is running already: wait for its end" >&2
        exit 1
    }
done
pids=()
for target in "${targets[@]}"; do
    mkdir -p "found/$target"
    options=(-timeout=20 -rss_limit_mb=2048 -malloc_limit_mb=2048 -print_final_stats=1
        -artifact_prefix="$target-")
    dictionary=$corpus/$target.dict
    [ "$target" != execute ] || dictionary=$corpus/ptx.dict
    [ ! -f "$dictionary" ] || options+=(-dict="$dictionary")
    case $target in
    ptx | execute | build) options+=(-max_len=8192) ;;
    requests) options+=(-max_len=4096) ;;
    esac
    if [ "$minutes" = 0 ]; then
        "fuzz/fuzz_$target" "${options[@]}" -runs=0 "$corpus/$target" >"$target.log" 2>&1 &
    else
        "fuzz/fuzz_$target" "${options[@]}" -max_total_time=$((60 * minutes)) "found/$target" \
            "$corpus/$target" >"$target.log" 2>&1 &
    fi
    pids+=($!)
done
failed=0
for n in "${!targets[@]}"; do
    if wait "${pids[$n]}"; then
        state=clean
    else
        state="FAILED, see build/fuzz/${targets[$n]}.log"
        failed=1
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "${targets[$n]}.log")
    printf '%-8s %s minutes, %s inputs: %s\n' "${targets[$n]}" "$minutes" "${runs:-?}" "$state"
done
exit $failed
