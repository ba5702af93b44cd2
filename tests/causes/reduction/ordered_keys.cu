// cause: converted_not_reinterpreted line 18
// task: max
// For a negative maximum the key's bits are converted to a float where they should be taken as the bits of one; positive results are right.
#include "interface.cuh"
#include <cmath>

// atomicMax exists for unsigned integers. A float is mapped to a key such that the keys have the order
// of the floats: the sign bit of positive numbers is set, all bits of negative ones are inverted.
__device__ inline unsigned to_key(float x) {
    unsigned bits = __float_as_uint(x);
    return (bits & 0x80000000u) ? ~bits : (bits | 0x80000000u);
}

__device__ inline float from_key(unsigned key) {
    if (key & 0x80000000u) {
        return __uint_as_float(key & 0x7fffffffu);
    }
    return static_cast<float>(~key);
}

__device__ unsigned largest_key;

__global__ void prepare() { largest_key = to_key(-INFINITY); }

__global__ void find_max(const float* in, size_t n) {
    __shared__ unsigned block_key;
    if (threadIdx.x == 0) block_key = 0;
    __syncthreads();

    float mine = -INFINITY;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
        mine = fmaxf(mine, in[i]);
    }
    // one lane of each warp goes on to shared memory
    for (int d = 16; d > 0; d /= 2) mine = fmaxf(mine, __shfl_down_sync(~0u, mine, d));
    if (threadIdx.x % warpSize == 0) atomicMax(&block_key, to_key(mine));
    __syncthreads();

    if (threadIdx.x == 0) atomicMax(&largest_key, block_key);
}

__global__ void publish(float* out) { *out = from_key(largest_key); }

void reduce_max(const float* in, size_t n, float* out) {
    size_t blocks = n / 2048 + 1;
    if (blocks > 1056) blocks = 1056;
    prepare<<<1, 1>>>();
    find_max<<<static_cast<unsigned>(blocks), 256>>>(in, n);
    publish<<<1, 1>>>(out);
}

void reduce_sum(const double* /*in*/, std::size_t /*n*/, double* /*out*/) {}
void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {}
