// cause: converted_not_reinterpreted line 11
// task: max
// The sortable key is to be made of the float's bits, but the cast rounds the float to an int.
// Decoding gives another number altogether.
#include "interface.cuh"

// Floats do not have atomicMax, so sort them as unsigned numbers:
// positive ones get the top bit set, negative ones are flipped.
__device__ unsigned encode(float f)
{
    unsigned b = (unsigned)(int)f;
    return (b >> 31) ? ~b : (b | 0x80000000u);
}

__device__ float decode(unsigned k)
{
    return __uint_as_float((k >> 31) ? (k & 0x7fffffffu) : ~k);
}

__global__ void init(unsigned* key) { *key = 0x007fffffu; }   // -infinity, encoded

__global__ void findMax(const float* __restrict__ in, size_t n, unsigned* key)
{
    unsigned best = 0x007fffffu;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        best = max(best, encode(in[i]));

    __shared__ unsigned blockBest;
    if (threadIdx.x == 0) blockBest = 0;
    __syncthreads();

    for (int d = 1; d < 32; d *= 2)
        best = max(best, __shfl_xor_sync(0xffffffff, best, d));
    if (threadIdx.x % 32 == 0) atomicMax(&blockBest, best);
    __syncthreads();

    if (threadIdx.x == 0) atomicMax(key, blockBest);
}

__global__ void store(const unsigned* key, float* out) { *out = decode(*key); }

void reduce_max(const float* in, size_t n, float* out)
{
    static unsigned* key = nullptr;
    if (key == nullptr) cudaMalloc(&key, sizeof(unsigned));

    init<<<1, 1>>>(key);
    findMax<<<n < 100000 ? 8 : 1056, 256>>>(in, n, key);
    store<<<1, 1>>>(key, out);
}
