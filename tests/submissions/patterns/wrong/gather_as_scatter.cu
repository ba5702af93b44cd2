// expect: gather=nondeterministic
// expect-gpu: gather=nondeterministic|wrong_answer
// The arrow turned round: thread j takes value j and adds it to the outputs that its row names,
// instead of fetching what the row names. Clamped so that no access leaves its buffer.
#include "interface.cuh"

__global__ void gather(const float* value, std::size_t m, const std::uint32_t* neighbour,
                       std::size_t n, float* out) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < 4; ++k) atomicAdd(out + neighbour[4 * i + k] % n, value[i % m]);
}

void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    cudaMemset(out, 0, n * sizeof(float));
    gather<<<static_cast<unsigned>((n + 255) / 256), 256>>>(value, m, neighbour, n, out);
}
