#!/usr/bin/env bash
# The checkers watch the code that is graded, though a source has other code for the architecture as which
# all submissions are counted.
. "$(dirname "$0")/common.bash"
cat >student.cu <<'EOF'
#include "interface.cuh"

__global__ void add_up(const double* in, std::size_t n, double* out) {
    __shared__ double parts[64];
    double mine = 0;
    for (std::size_t i = threadIdx.x; i < n; i += 64) mine += in[i];
    parts[threadIdx.x] = mine;
    __shared__ int last;  // a race without effect
#if __CUDA_ARCH__ < FROM
    if (threadIdx.x == 0)
#endif
        last = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        double total = 0;
        for (int i = 0; i < 64; ++i) total += parts[i];
        *out = total + 0.0 * last;
    }
}

CUGRADE_FUNCTION void reduce_sum(const double* in, std::size_t n, double* out) { add_up<<<1, 64>>>(in, n, out); }
EOF
# check NAME FROM ARCH VERDICT: code that has a race from FROM on, graded as ARCH.
check() {
    sed "s/FROM/$2/" student.cu >"$1.cu"
    expect 0 "$CUGRADE" check "$1.cu" -a reduction --task sum --backend emulator --ptx "$3" --no-timing --format json --out "$1.json"
    json "$1.json" tasks/0/verdict is "$4"
}
check whole 10000 90 accepted
check newer 800 90 data_race
# Nobody runs the code for another one.
check newer_unseen 800 75 accepted
# What does not compile for the counted architecture is watched all the same.
sed -i 's/^#if/#if defined(__CUDA_ARCH__) \&\& __CUDA_ARCH__ < 800\n#error too old\n#endif\n#if/' student.cu
check only_newer 800 90 data_race
