// cause: wrong_identity line 10
// task: max
// The maximum starts at the smallest finite float, which is not neutral; shows for n = 0 and where all elements are minus infinity.
#include "interface.cuh"

#include <limits>

template <typename T>
struct Maximum {
    static __host__ __device__ constexpr T identity() { return std::numeric_limits<T>::lowest(); }
    __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

template <typename T, class Op, unsigned Threads>
__global__ void reduceKernel(const T* data, std::size_t count, T* result)
{
    __shared__ T buffer[Threads];
    Op op;
    const unsigned me = threadIdx.x;

    T a = Op::identity(), b = Op::identity();
    const std::size_t step = std::size_t(Threads) * gridDim.x;
    std::size_t i = std::size_t(Threads) * blockIdx.x + me;
    for (; i + step < count; i += 2 * step) {
        a = op(a, data[i]);
        b = op(b, data[i + step]);
    }
    if (i < count)
        a = op(a, data[i]);

    buffer[me] = op(a, b);
    __syncthreads();
#pragma unroll
    for (unsigned half = Threads / 2; half >= 1; half /= 2) {
        if (me < half)
            buffer[me] = op(buffer[me], buffer[me + half]);
        __syncthreads();
    }
    if (me == 0)
        result[blockIdx.x] = buffer[0];
}

template <typename T, class Op>
void reduceAll(const T* in, std::size_t n, T* out)
{
    constexpr unsigned threads = 512;
    constexpr std::size_t most = 264;
    static T* between = nullptr;
    if (between == nullptr)
        cudaMalloc(&between, most * sizeof(T));

    std::size_t blocks = n / threads + 1;
    if (blocks > most)
        blocks = most;
    reduceKernel<T, Op, threads><<<unsigned(blocks), threads>>>(in, n, between);
    reduceKernel<T, Op, threads><<<1, threads>>>(between, blocks, out);
}

void reduce_max(const float* in, std::size_t n, float* out)
{
    reduceAll<float, Maximum<float>>(in, n, out);
}
