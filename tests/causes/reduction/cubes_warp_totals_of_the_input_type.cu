// cause: accumulator_too_narrow line 39
// task: cubes
// the totals of the warps go through shared memory of the type of the input, int, though they are long long; wrong when the sum of a warp is beyond 2^31
#include "interface.cuh"

#include <utility>

// *out = the sum of n doubles
void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {
    // TODO: write a kernel and launch it here.
}

// *out = the largest of n floats
void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

// *out = the sum of n ints, in 64 bits, by kernels that launch the next ones
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

// One reduction for all tasks (I still have to convert sum and max to it):
//   In    the elements
//   Acc   what they are combined in
//   Load  In -> Acc
// The combination is +.

namespace mine {

template <typename Acc>
__device__ Acc warp_total(Acc a) {
    for (int lanes = 16; lanes >= 1; lanes >>= 1) a += __shfl_xor_sync(~0u, a, lanes);
    return a;
}

template <typename In, typename Acc, int Warps>
__device__ Acc block_total(Acc a) {
    __shared__ In total_of[Warps];

    a = warp_total(a);
    if (threadIdx.x % 32 == 0) total_of[threadIdx.x / 32] = a;
    __syncthreads();

    // few enough for one thread
    Acc all = 0;
    if (threadIdx.x == 0)
        for (int w = 0; w < Warps; ++w) all += total_of[w];
    return all;
}

template <typename In, typename Acc, int Warps, typename Load>
__global__ void reduce_kernel(const In* in, std::size_t n, Acc* out, Load load) {
    const std::size_t step = std::size_t(gridDim.x) * (32 * Warps);
    std::size_t i = std::size_t(blockIdx.x) * (32 * Warps) + threadIdx.x;

    Acc a = 0;
    for (; i < n; i += step) a += load(in[i]);

    a = block_total<In, Acc, Warps>(a);
    if (threadIdx.x == 0) {
        // two's complement: as unsigned it is the same addition
        atomicAdd(reinterpret_cast<unsigned long long*>(out), static_cast<unsigned long long>(a));
    }
}

template <typename In, typename Acc, typename Load>
void reduce(const In* in, std::size_t n, Acc* out, Load load) {
    constexpr int warps = 8, per_block = 32 * warps * 8;
    cudaMemset(out, 0, sizeof(Acc));
    if (n == 0) return;
    const std::size_t blocks = (n + per_block - 1) / per_block;
    reduce_kernel<In, Acc, warps>
        <<<static_cast<unsigned>(blocks > 1056 ? 1056 : blocks), 32 * warps>>>(in, n, out,
                                                                             std::move(load));
}

struct Cube {
    __device__ long long operator()(int x) const {
        const long long wide = x;
        return wide * wide * wide;
    }
};

}  // namespace mine

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    mine::reduce(in, n, out, mine::Cube{});
}
