// expect: nested=out_of_bounds
// expect-gpu: nested=launch_error|wrong_answer|nondeterministic|unwritten_output
// report: out_of_bounds 19
// A child is given the address of its parent's shared memory, which means nothing to it.
#include "interface.cuh"

__global__ void add_tile(const long long* tile, long long* out) {
    long long sum = 0;
    for (unsigned i = 0; i < 256; ++i) sum += tile[i];
    atomicAdd(reinterpret_cast<unsigned long long*>(out), static_cast<unsigned long long>(sum));
}

__global__ void load_tile(const int* in, std::size_t n, long long* out) {
    __shared__ long long tile[256];
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    const long long* parts = tile;
    if (threadIdx.x == 0) add_tile<<<1, 1, 0, cudaStreamFireAndForget>>>(parts, out);
}

void reduce_nested(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, sizeof *out);
    load_tile<<<static_cast<unsigned>(n / 256 + 1), 256>>>(in, n, out);
}
