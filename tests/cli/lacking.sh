#!/usr/bin/env bash
# A submission that needs what the emulated GPU does not have: its tasks that need it are not judged,
# the others are graded, and the report names the operand or the function and the line. What CUDA does
# not have either is the student's mistake.
. "$(dirname "$0")/common.bash"
solution=$SOURCE/reference/patterns/solution.cu
check() { expect "$1" "$CUGRADE" check --backend emulator -a patterns "${@:2}"; }

# The solution, with the standard input in the place of its map_cubic().
instead_of_map() {
    sed 's/^void map_cubic(/void other_map_cubic(/' "$solution"
    cat
}
line_of() { grep -n "$1" "$2" | head -1 | cut -d: -f1; }

# An instruction, of which only the operand is unknown, in a kernel that small cases do not launch.
instead_of_map >operand.cu <<'EOF'
__global__ void ask(unsigned* out) {
    asm volatile("mov.u32 %0, %%reserved_smem_offset_1;" : "=r"(*out));
}
void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    if (n > 100) ask<<<1, 1>>>(reinterpret_cast<unsigned*>(y));
    other_map_cubic(x, n, c0, c1, c2, c3, y);
}
EOF
# A function of the host.
instead_of_map >function.cu <<'EOF'
void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    cudaGraph_t graph;
    if (cudaGraphCreate(&graph, 0) != cudaSuccess) return;
    other_map_cubic(x, n, c0, c1, c2, c3, y);
}
EOF
for how in operand function; do
    check 0 $how.cu --format json
    json stdout tasks/name!=map/verdict each accepted
    json stdout tasks/name=map/verdict is skipped
    json stdout tasks/name=map/cases/all/verdict each skipped
    json stdout tasks/name=map/score/judged is 0
    json stdout tasks/name=map/score/possible above 0
    json stdout score/earned equals score/judged
    json stdout score/earned above 0
done
check 0 operand.cu
says stdout 'map: not judged'
tr -s '\n ' '  ' <stdout >joined
says joined "operand.cu:$(line_of reserved_smem operand.cu): the emulated GPU cannot execute \`mov.u32 %reserved_smem_offset_1\`"
check 0 function.cu
tr -s '\n ' '  ' <stdout >joined
says joined "function.cu:$(line_of 'cudaGraphCreate(' function.cu): the emulated GPU has no cudaGraphCreate"
[ ! -s stderr ] || fail "on standard error: $(cat stderr)"

# Nobody calls it: everything is judged.
{
    cat "$solution"
    echo 'int unused() { cudaGraph_t graph; return cudaGraphCreate(&graph, 0); }'
} >unused.cu
check 0 unused.cu --task map --format json
json stdout tasks/0/verdict is accepted

# CUDA has no such function either.
{
    cat "$solution"
    echo 'extern "C" int cudaMemcpyy();'
    echo 'int unused() { return cudaMemcpyy(); }'
} >misspelt.cu
check 0 misspelt.cu --task map --format json
json stdout tasks/0/verdict is compile_error
json stdout score/earned is 0
json stdout tasks/0/cases/0/message has \
    "misspelt.cu:$(line_of 'return cudaMemcpyy' misspelt.cu): CUDA has no function cudaMemcpyy; did you mean cudaMemcpy?"

# A device function that is only declared is an error of the link.
instead_of_map >declared.cu <<'EOF'
__device__ float cubic(float, float);
__global__ void each(const float* x, float c, float* y) {
    y[threadIdx.x] = cubic(x[threadIdx.x], c);
}
void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    each<<<1, 32>>>(x, c0, y);
}
EOF
check 0 declared.cu --format json
json stdout tasks/all/cases/verdict!=skipped/verdict each compile_error
json stdout tasks/0/cases/0/message has \
    "declared.cu:$(line_of '= cubic(' declared.cu): the __device__ function cubic(float, float) is declared but defined nowhere"

# What students take for granted.
instead_of_map >lambda.cu <<'EOF'
#include <limits>
template <class F>
__global__ void each(std::size_t n, F f) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) f(i);
}
void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    if (n == 0) return;
    each<<<static_cast<unsigned>((n + 255) / 256), 256>>>(n, [=] __device__(std::size_t i) {
        const float value = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
        y[i] = value < std::numeric_limits<float>::lowest() ? 0 : value;
    });
}
EOF
check 0 lambda.cu --task map --format json
json stdout tasks/0/verdict is accepted
