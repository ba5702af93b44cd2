// cause: wrong_shuffle_mask line 44
// task: cubes
// Only eight threads come to the second shuffle, but its mask names all 32 lanes of the warp.
#include "interface.cuh"

namespace {

constexpr unsigned FULL = 0xffffffff;

struct Cube {
    __device__ long long operator()(int x) const {
        const long long y = x;
        return y * y * y;
    }
};

// Sum over the first Lanes lanes of a warp; lane 0 gets it.
template <int Lanes>
__device__ long long shuffle_sum(unsigned mask, long long v) {
#pragma unroll
    for (int d = Lanes / 2; d >= 1; d /= 2) v += __shfl_down_sync(mask, v, d, Lanes);
    return v;
}

template <int Block, class Map>
__global__ void map_reduce(const int* __restrict__ in, std::size_t n, long long* out, Map map) {
    constexpr int kWarps = Block / 32;
    __shared__ long long of_warp[kWarps];

    long long v = 0;
    const std::size_t stride = static_cast<std::size_t>(Block) * gridDim.x;
    for (std::size_t i = static_cast<std::size_t>(Block) * blockIdx.x + threadIdx.x; i < n;
         i += stride) {
        v += map(in[i]);
    }

    // within each warp ...
    v = shuffle_sum<32>(FULL, v);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();

    // ... and over the warps
    if (threadIdx.x < kWarps) {
        v = shuffle_sum<kWarps>(FULL, of_warp[threadIdx.x]);
        if (threadIdx.x == 0) {
            atomicAdd(reinterpret_cast<unsigned long long*>(out),
                      static_cast<unsigned long long>(v));
        }
    }
}

}  // namespace

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    constexpr int block = 256;
    cudaMemset(out, 0, sizeof(long long));
    std::size_t grid = (n + block * 8 - 1) / (block * 8);
    if (grid > 1056) grid = 1056;
    if (grid > 0) map_reduce<block><<<static_cast<unsigned>(grid), block>>>(in, n, out, Cube{});
}

void reduce_sum(const double*, std::size_t, double*) {}
void reduce_max(const float*, std::size_t, float*) {}
void reduce_nested(const int*, std::size_t, long long*) {}
