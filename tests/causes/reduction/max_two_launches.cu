// cause: wrong_identity line 10
// task: max
// The maximum starts from the smallest finite float and not from minus infinity; it shows for n = 0 and where all inputs are minus infinity.
#include "interface.cuh"
#include <cfloat>
#include <cmath>

constexpr int blockSize = 256;
constexpr int maxBlocks = 256;
constexpr float lowest = -FLT_MAX;

__device__ float warpMax(float v) {
    for (int offset = 16; offset > 0; offset >>= 1)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, offset));
    return v;
}

// each block leaves the largest of its elements in result[blockIdx.x]
__global__ void maxOfBlock(const float* data, std::size_t n, float* result) {
    __shared__ float ofWarp[blockSize / 32];
    float v = lowest;
    for (std::size_t i = blockIdx.x * std::size_t(blockSize) + threadIdx.x; i < n;
         i += std::size_t(gridDim.x) * blockSize)
        v = fmaxf(v, data[i]);

    v = warpMax(v);
    if (threadIdx.x % 32 == 0) ofWarp[threadIdx.x / 32] = v;
    __syncthreads();

    if (threadIdx.x < 32) {
        v = threadIdx.x < blockSize / 32 ? ofWarp[threadIdx.x] : lowest;
        v = warpMax(v);
        if (threadIdx.x == 0) result[blockIdx.x] = v;
    }
}

void reduce_max(const float* in, std::size_t n, float* out) {
    static float* partial = nullptr;
    if (partial == nullptr) cudaMalloc(&partial, maxBlocks * sizeof(float));

    std::size_t blocks = (n + blockSize - 1) / blockSize;
    if (blocks > maxBlocks) blocks = maxBlocks;
    if (blocks > 0) maxOfBlock<<<blocks, blockSize>>>(in, n, partial);
    maxOfBlock<<<1, blockSize>>>(partial, blocks, out);
}

void reduce_sum(const double*, std::size_t, double*) {}
void reduce_cubes(const int*, std::size_t, long long*) {}
void reduce_nested(const int*, std::size_t, long long*) {}
