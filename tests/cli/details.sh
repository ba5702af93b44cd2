#!/usr/bin/env bash
# `cugrade check --details`: the wrong values of a failing task, whatever its cause. Approved reports
# (tests/approval/causes.*) show what is left out without it.
. "$(dirname "$0")/common.bash"

sed 's/^void map_cubic(/static void unused(/' "$SOURCE/reference/patterns/solution.cu" >wrong.cu
cat >>wrong.cu <<'CU'
__global__ void add_one(const float* in, std::size_t n, float* out) {
    const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
    if (i < n) out[i] = in[i] + 1;
}
void map_cubic(const float* in, std::size_t n, float, float, float, float, float* out) {
    if (n > 0) add_one<<<(n + 255) / 256, 256>>>(in, n, out);
}
CU
check() {
    expect "$1" "$CUGRADE" check wrong.cu -a patterns --task map --backend emulator --no-timing "${@:2}"
}
check 0 --details
says stdout 'wrong_answer, the result differs from the expected one'
says stdout 'expected           got'
says stdout 'y[1]'
check 0 --details --out report.txt
says report.txt 'y[1]'
check 0 --format json
json stdout tasks/0/verdict is wrong_answer

"$CUGRADE" check wrong.cu -a patterns --task map --backend emulator --no-timing --format json >report.json
expect 1 "$CUGRADE" check --replay report.json --details
says stderr 'details'
