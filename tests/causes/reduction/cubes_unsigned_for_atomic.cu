// cause: sign_lost line 12
// task: cubes
// The element is taken for an unsigned int before it is widened to 64 bits, so the cube of every negative number is wrong.
#include "interface.cuh"

using u64 = unsigned long long;  // atomicAdd has no version for long long

namespace {

constexpr unsigned full = 0xffffffffu;

__device__ u64 cube(unsigned x) {
    const u64 wide = x;
    return wide * wide * wide;
}

__device__ u64 warp_sum(u64 v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(full, v, d);
    return v;
}

__global__ void cubes(const int* __restrict__ in, std::size_t n, u64* out) {
    __shared__ u64 warps[8];
    u64 v = 0;
    for (std::size_t i = blockIdx.x * 256ull + threadIdx.x; i < n; i += gridDim.x * 256ull)
        v += cube(in[i]);
    v = warp_sum(v);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = warp_sum(threadIdx.x < 8 ? warps[threadIdx.x] : 0);
        if (threadIdx.x == 0) atomicAdd(out, v);
    }
}

}  // namespace

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    cudaMemsetAsync(out, 0, sizeof *out);
    if (n == 0) return;
    const std::size_t wanted = (n + 2047) / 2048;
    cubes<<<wanted < 1024 ? wanted : 1024, 256>>>(in, n, reinterpret_cast<u64*>(out));
}

void reduce_sum(const double*, std::size_t, double*) {}
void reduce_max(const float*, std::size_t, float*) {}
void reduce_nested(const int*, std::size_t, long long*) {}
