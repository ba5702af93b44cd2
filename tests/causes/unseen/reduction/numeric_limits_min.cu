// cause: wrong_identity line 10
// task: max
// numeric_limits<float>::min() is the smallest positive number and not the lowest one; shows when all inputs are negative or there are none.
#include "interface.cuh"

#include <limits>

template <typename T>
struct MaxOp {
    __device__ static T identity() { return std::numeric_limits<T>::min(); }
    __device__ static T combine(T a, T b) { return a < b ? b : a; }
};

template <typename T, typename Op, int BLOCK>
__global__ void reduceKernel(const T* in, std::size_t n, T* result)
{
    __shared__ T cache[BLOCK];

    T acc = Op::identity();
    for (std::size_t i = threadIdx.x + (std::size_t)blockIdx.x * BLOCK; i < n; i += (std::size_t)gridDim.x * BLOCK)
        acc = Op::combine(acc, in[i]);
    cache[threadIdx.x] = acc;

    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            cache[threadIdx.x] = Op::combine(cache[threadIdx.x], cache[threadIdx.x + half]);
    }
    if (threadIdx.x == 0)
        result[blockIdx.x] = cache[0];
}

void reduce_max(const float* in, std::size_t n, float* out)
{
    constexpr int block = 256;
    constexpr int grid = 128;
    static float* partial = nullptr;
    if (partial == nullptr)
        cudaMalloc(&partial, grid * sizeof(float));

    reduceKernel<float, MaxOp<float>, block><<<grid, block>>>(in, n, partial);
    reduceKernel<float, MaxOp<float>, block><<<1, block>>>(partial, grid, out);
}
