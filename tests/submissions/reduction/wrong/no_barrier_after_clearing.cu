// expect: cubes=data_race
// report: missing_syncwarp 10 13, shared_race 10 13
// There is no barrier between clearing and adding: the word is cleared by the last warp, after or
// before the others have added to it.
#include "interface.cuh"

__global__ void reduce(const int* in, std::size_t n, unsigned long long* out) {
    __shared__ unsigned long long of_block;
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x;
    if (threadIdx.x == 255) of_block = 0;
    if (i < n) {
        const auto x = static_cast<unsigned long long>(static_cast<long long>(in[i]));
        atomicAdd(&of_block, x * x * x);
    }
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, of_block);
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemset(out, 0, sizeof *out);
    reduce<<<static_cast<unsigned>(n / 256 + 1), 256>>>(
        in, n, reinterpret_cast<unsigned long long*>(out));
}
