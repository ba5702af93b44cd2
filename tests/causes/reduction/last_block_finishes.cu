// cause: state_kept_between_calls line 50 or 51
// task: sum
// The ticket counter is not set back, so from the second call on no block (or the wrong one) takes itself for the last.
#include "interface.cuh"

constexpr int THREADS = 256;
constexpr int BLOCKS = 256;

__device__ double partials[BLOCKS];
__device__ unsigned int tickets = 0;

// Tree by halves. Everybody gets the result.
__device__ double tree(double value) {
    __shared__ double s[THREADS];
    s[threadIdx.x] = value;
    __syncthreads();
    for (int half = THREADS / 2; half >= 1; half /= 2) {
        if (threadIdx.x < half)
            s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    double result = s[0];
    __syncthreads();  // s is used again
    return result;
}

// One launch: the block that draws the last ticket adds up what all of them have left.
__global__ void sum_all(const double* in, std::size_t n, double* out) {
    __shared__ bool last;

    double mine = 0.0;
    for (std::size_t i = blockIdx.x * std::size_t(THREADS) + threadIdx.x; i < n;
         i += gridDim.x * std::size_t(THREADS))
        mine += in[i];
    double of_block = tree(mine);

    if (threadIdx.x == 0) {
        partials[blockIdx.x] = of_block;
        __threadfence();
        last = atomicAdd(&tickets, 1u) + 1 == gridDim.x;
    }
    __syncthreads();

    if (last) {
        __threadfence();
        volatile double* p = partials;
        double v = threadIdx.x < gridDim.x ? p[threadIdx.x] : 0.0;
        v = tree(v);
        if (threadIdx.x == 0) {
            *out = v;
        }
    }
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    std::size_t blocks = (n + THREADS * 8 - 1) / (THREADS * 8);
    if (blocks < 1) blocks = 1;
    if (blocks > BLOCKS) blocks = BLOCKS;
    sum_all<<<unsigned(blocks), THREADS>>>(in, n, out);
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
