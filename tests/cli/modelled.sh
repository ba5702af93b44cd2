#!/usr/bin/env bash
# Without a GPU speed is modelled: the report says so, fast kernels get more than slow ones, and what
# is wrong where it is modelled costs points.
. "$(dirname "$0")/common.bash"
patterns=$SOURCE/reference/patterns
check() { expect "$1" "$CUGRADE" check "${@:2}" --backend emulator -a patterns --task map; }
graded() { check 0 "$@" --format json; }
map=tasks/0/performance

# Counts of its own, because other tests use the shared ones at the same time.
shared=$XDG_CACHE_HOME/cugrade
export XDG_CACHE_HOME=$work/own
mkdir -p "$XDG_CACHE_HOME/cugrade"
ln -s "$shared/builds" "$XDG_CACHE_HOME/cugrade/builds"

graded "$patterns/solution.cu"
json stdout $map/basis is modelled
json stdout $map/credit is 1
json stdout $map/modelled_on is 'NVIDIA H200'
json stdout $map/limited_by is DRAM
json stdout $map without samples
json stdout score/earned equals score/judged
cp stdout first
check 0 "$patterns/solution.cu"
says stdout 'modelled'

# The same counts, so the same speedup, kept or counted again.
rm -rf "$XDG_CACHE_HOME/cugrade/counts"
graded "$patterns/solution.cu"
report same first stdout $map || fail "another speedup the second time"

# What lies in the cache and is not what was kept is no count: torn, another's, or nobody's.
graded "$patterns/solution.cu"
kept=("$XDG_CACHE_HOME"/cugrade/counts/*)
[ "${#kept[@]}" -ge 2 ] || fail "no counts were kept"
spoil() {
    for file in "${kept[@]}"; do "$@" "$file"; done
    graded "$patterns/solution.cu"
    report same first stdout $map || fail "another speedup after: $*"
}
of_nobody() { echo '{"kernels": [], "host": {}}' >"$1"; }
torn() { truncate -s 100 "$1"; }
of_another() { cp "$work/one_of_them" "$1"; }
cp "${kept[0]}" one_of_them
spoil of_nobody
spoil torn
spoil of_another

# The baseline is as fast as the baseline.
graded "$patterns/baseline.cu"
json stdout $map/speedup is 1
json stdout $map/credit is 0
json stdout $map/judged is 10

# And as fast as itself on other data of the same size, though counts of it are kept.
prefix=$(dirname "$(dirname "$CUGRADE")")
mkdir course
ln -s "$prefix"/{bin,lib,libexec} course/
cp -rL "$prefix/share" course/
gather() { expect 0 env CUGRADE_HOME=course "$CUGRADE" check "$patterns/baseline.cu" --backend emulator -a patterns --task gather --format json; }
gather
json stdout $map/speedup is 1
cp stdout first
sed -i '/m: 262144, n: 262144/s/sorted, low: 0, high: 262143/sorted, low: 0, high: 0/' course/share/cugrade/assignments/patterns/assignment.yaml
gather
json stdout $map/speedup is 1
report same first stdout $map/baseline_us --differ || fail "as slow on other data: this tests nothing"

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
json stdout $map/basis is none
json stdout $map/earned is 0
json stdout $map/judged is 10
json stdout tasks/0/verdict is unwritten_output
json stdout tasks/0/cases/-1/message has 'when its speed was modelled'

# A policy without a device, and one with a device that is not there.
sed '/modelled_on/d' "$SOURCE/grading.yaml" >plain.yaml
graded "$patterns/solution.cu" --policy plain.yaml
json stdout $map/basis is none
json stdout $map/note is 'needs a GPU'
json stdout $map/judged is 0
sed 's/modelled_on: h200/modelled_on: abacus/' "$SOURCE/grading.yaml" >other.yaml
check 1 "$patterns/solution.cu" --policy other.yaml
says stderr 'there is no device profile `abacus`'
graded "$patterns/solution.cu" --no-timing
json stdout $map/note is 'timing was switched off'
json stdout $map/judged is 0
# Nor is it of what does not compile or is wrong: no speed was looked at.
echo 'this is not C++' >broken.cu
for wrong in broken.cu "$SOURCE/student_template/patterns/student.cu"; do
    graded "$wrong" --no-timing
    json stdout verdict none accepted
    json stdout $map/note is 'timing was switched off'
    json stdout $map/judged is 0
done
graded broken.cu
json stdout $map without note
json stdout $map/judged is 10
