#!/usr/bin/env bash
# `hints` of grading.yaml: how much a student's report tells. The record and the pages for staff have all.
. "$(dirname "$0")/common.bash"

mkdir class
sed 's/^void map_cubic(/static void unused(/' "$SOURCE/reference/patterns/solution.cu" >class/ada.cu
cat >>class/ada.cu <<'CU'
__global__ void add_one(const float* in, std::size_t n, float* out) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}
void map_cubic(const float* in, std::size_t n, float, float, float, float, float* out) {
    if (n > 0) add_one<<<(n + 255) / 256, 256>>>(in, n, out);
}
CU
for word in verdict facts nothing; do
    sed "s/^  hidden_weight: 1/&\n  hints: $word/" "$SOURCE/grading.yaml" >$word.yaml
done
check() {
    expect "$1" "$CUGRADE" check class/ada.cu -a patterns --task map --backend emulator --no-timing "${@:2}"
}
has_values() { grep -q '"expected":' "$1"; }

check 0 --policy facts.yaml --format json
cp stdout facts.json
has_values facts.json || fail "no wrong values among the facts"
json facts.json tasks/0/verdict is wrong_answer
grep -q '"causes"' facts.json && fail "causes among the facts"
check 0 --policy verdict.yaml --format json
cp stdout verdict.json
has_values verdict.json && fail "wrong values beside the verdict"
grep -q 'n=31' verdict.json && fail "sizes beside the verdict"
json verdict.json tasks/0/verdict is wrong_answer
[ "$(report get facts.json score/earned)" = "$(report get verdict.json score/earned)" ] || fail "other points"
check 0 --policy verdict.yaml --details
says stdout 'verdicts and points only'
grep -q 'y\[1\]' stdout && fail "wrong values with --details"
check 1 --policy nothing.yaml
says stderr 'verdict, facts, cause'
says stderr 'nothing.yaml:'

# Of a batch, the student's files have less than the record; all of them are sealed as they are.
batch() { expect 0 "$CUGRADE" batch class -a patterns --backend emulator --no-timing --out graded "$@"; }
batch --policy verdict.yaml
for extension in json yaml txt html; do
    grep -q '1\.872414' "graded/reports/patterns/ada.$extension" && fail "values in the student's $extension"
done
grep -q '2\.2970397' graded/pages/patterns/ada.html || fail "no message for staff"
expect 0 "$CUGRADE" verify graded/reports/patterns/ada.json graded/reports/patterns/ada.yaml
batch --policy verdict.yaml --resume
grep -q 'not as this grader wrote it' stderr && fail "the shorter report is taken for a changed one"
expect 0 "$CUGRADE" rescore graded --policy facts.yaml
grep -q '1\.872414' graded/reports/patterns/ada.json || fail "rescored, and no values"
expect 0 "$CUGRADE" verify graded/reports/patterns/ada.json
