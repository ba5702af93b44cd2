// expect: nested=wrong_answer|nondeterministic
// The first block launches the next level into its own stream, which orders it with that block's
// other children but with no other block: it may begin before they have written their sums. Only
// work in the tail comes after the whole grid. The sums of an earlier call, which are still in
// memory, hide it as long as the data stay the same.
#include "interface.cuh"

constexpr unsigned threads = 256, most_blocks = 256;

template <class T> __global__ void add_up(const T* in, std::size_t n, long long* sums, long long* out) {
    __shared__ long long part[threads];
    long long mine = 0;
    const std::size_t stride = std::size_t{gridDim.x} * threads;
    for (std::size_t i = std::size_t{blockIdx.x} * threads + threadIdx.x; i < n; i += stride) mine += in[i];
    part[threadIdx.x] = mine;
    for (unsigned half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x != 0) return;
    long long* const result = gridDim.x == 1 ? out : sums + blockIdx.x;
    *result = part[0];
    if (gridDim.x > 1 && blockIdx.x == 0) add_up<long long><<<1, threads>>>(sums, gridDim.x, nullptr, out);
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    static long long* sums = nullptr;
    if (sums == nullptr) cudaMalloc(&sums, most_blocks * sizeof *sums);
    const std::size_t needed = (n + threads - 1) / threads;
    const unsigned blocks = needed == 0 ? 1 : needed < most_blocks ? static_cast<unsigned>(needed) : most_blocks;
    add_up<int><<<blocks, threads>>>(in, n, sums, out);
}
