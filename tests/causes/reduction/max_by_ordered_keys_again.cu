// cause: converted_not_reinterpreted line 10
// task: max
// The key is made from the float rounded to an integer and not from its bits, so the result is not one of the inputs.
#include "interface.cuh"

#include <climits>

// Floats as ints in the same order: positive ones are in order already, the others are turned round.
__device__ int to_key(float f) {
    int b = __float2int_rn(f);
    return b >= 0 ? b : b ^ 0x7fffffff;
}

__device__ float from_key(int key) {
    return __int_as_float(key >= 0 ? key : key ^ 0x7fffffff);
}

__device__ int best_key;

__global__ void begin() { best_key = to_key(__int_as_float(0xff800000)); }

__global__ void find_max(const float* in, std::size_t n) {
    __shared__ int block_best;
    if (threadIdx.x == 0) block_best = INT_MIN;
    __syncthreads();

    int mine = INT_MIN;
    for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int k = to_key(in[i]);
        if (k > mine) mine = k;
    }
    atomicMax(&block_best, mine);
    __syncthreads();

    if (threadIdx.x == 0) atomicMax(&best_key, block_best);
}

__global__ void finish(float* out) { *out = from_key(best_key); }

void reduce_sum(const double*, std::size_t, double*) {}

void reduce_max(const float* in, std::size_t n, float* out) {
    begin<<<1, 1>>>();
    int blocks = n < 256 * 64 ? 8 : 32;
    find_max<<<blocks, 256>>>(in, n);
    finish<<<1, 1>>>(out);
}

void reduce_cubes(const int*, std::size_t, long long*) {}
void reduce_nested(const int*, std::size_t, long long*) {}
