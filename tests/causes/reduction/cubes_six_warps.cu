// cause: not_a_power_of_two line 45
// task: cubes
// With 192 threads halving gives 3 and then 1 on the way down, and the third of the last three sums is lost.
#include "interface.cuh"

template <typename T, int THREADS>
struct BlockSum {
    T slot[THREADS];

    __device__ T operator()(T mine) {
        slot[threadIdx.x] = mine;
        for (int stride = THREADS / 2; stride > 0; stride /= 2) {
            __syncthreads();
            if (threadIdx.x < stride) slot[threadIdx.x] += slot[threadIdx.x + stride];
        }
        return slot[0];  // of use to thread 0 only
    }
};

template <int THREADS>
__global__ void cubes(const int* in, std::size_t n, unsigned long long* out) {
    __shared__ BlockSum<unsigned long long, THREADS> block_sum;

    unsigned long long mine = 0;
    std::size_t i = std::size_t(blockIdx.x) * THREADS + threadIdx.x;
    for (; i < n; i += std::size_t(gridDim.x) * THREADS) {
        // unsigned, so that it may wrap around
        unsigned long long x = (unsigned long long)(long long)in[i];
        mine += x * x * x;
    }

    unsigned long long all = block_sum(mine);
    if (threadIdx.x == 0) atomicAdd(out, all);
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {
    // TODO: write a kernel and launch it here.
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    constexpr int threads = 192;
    constexpr std::size_t per_block = threads * 20;
    std::size_t blocks = n / per_block + 1;
    if (blocks > 528) blocks = 528;
    cudaMemset(out, 0, sizeof *out);
    cubes<threads><<<int(blocks), threads>>>(in, n, (unsigned long long*)out);
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}
