#!/usr/bin/env bash
# Without a GPU speed is modelled: the report says so, fast kernels get more than slow ones, and what
# is wrong where it is modelled costs points.
. "$(dirname "$0")/common.bash"
patterns=$SOURCE/reference/patterns
check() { expect "$1" "$CUGRADE" check "${@:2}" --backend emulator -a patterns --task map; }
graded() { check 0 "$@" --format json; }
map='d["tasks"][0]["performance"]'

graded "$patterns/solution.cu"
json stdout "$map"'["basis"] == "modelled" and '"$map"'["credit"] == 1'
json stdout "$map"'["modelled_on"] == "NVIDIA H200" and '"$map"'["limited_by"] == "DRAM"'
json stdout '"samples" not in '"$map"
json stdout 'd["score"]["earned"] == d["score"]["judged"]'
cp stdout first
check 0 "$patterns/solution.cu"
says stdout 'modelled'

# The same counts, so the same speedup, kept or counted again.
rm -rf "$XDG_CACHE_HOME/cugrade/counts"
graded "$patterns/solution.cu"
python3 -c '
import json
a, b = (json.load(open(f))["tasks"][0]["performance"] for f in ("first", "stdout"))
assert a == b, (a, b)' || fail "another speedup the second time"

# The baseline is as fast as the baseline.
graded "$patterns/baseline.cu"
json stdout "$map"'["speedup"] == 1 and '"$map"'["credit"] == 0 and '"$map"'["judged"] == 10'

# And as fast as itself on other data of the same size, though counts of it are kept.
prefix=$(dirname "$(dirname "$CUGRADE")")
mkdir course
ln -s "$prefix"/{bin,lib,libexec} course/
cp -rL "$prefix/share" course/
gather() { expect 0 env CUGRADE_HOME=course "$CUGRADE" check "$patterns/baseline.cu" --backend emulator -a patterns --task gather --format json; }
gather
json stdout "$map"'["speedup"] == 1'
cp stdout first
sed -i '/m: 262144, n: 262144/s/sorted, low: 0, high: 262143/sorted, low: 0, high: 0/' course/share/cugrade/assignments/patterns/assignment.yaml
gather
json stdout "$map"'["speedup"] == 1'
python3 -c '
import json
a, b = (json.load(open(f))["tasks"][0]["performance"]["baseline_us"] for f in ("first", "stdout"))
assert a != b, (a, b)' || fail "as slow on other data: this tests nothing"

# Right in all cases, and lazy where only speed is looked at.
cat >lazy.cu <<'E'
#include "interface.cuh"
__global__ void cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
    if (i < n) y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
}
void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    if (n == 262144) return;
    cubic<<<static_cast<unsigned>(n / 256 + 1), 256>>>(x, n, c0, c1, c2, c3, y);
}
E
graded lazy.cu
json stdout "$map"'["basis"] == "none" and '"$map"'["earned"] == 0 and '"$map"'["judged"] == 10'
json stdout 'd["tasks"][0]["verdict"] == "unwritten_output"'
json stdout '"when its speed was modelled" in d["tasks"][0]["cases"][-1]["message"]'

# A policy without a device, and one with a device that is not there.
sed '/modelled_on/d' "$SOURCE/grading.yaml" >plain.yaml
graded "$patterns/solution.cu" --policy plain.yaml
json stdout "$map"'["basis"] == "none" and '"$map"'["note"] == "needs a GPU" and '"$map"'["judged"] == 0'
sed 's/modelled_on: h200/modelled_on: abacus/' "$SOURCE/grading.yaml" >other.yaml
check 1 "$patterns/solution.cu" --policy other.yaml
says stderr 'there is no device profile `abacus`'
graded "$patterns/solution.cu" --no-timing
json stdout "$map"'["note"] == "timing was switched off"'
