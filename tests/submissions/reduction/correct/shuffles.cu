// expect: sum=accepted max=accepted cubes=accepted
// Warp shuffles: registers are exchanged directly, shared memory holds one value per warp only. The
// partial results of 64 blocks are combined by a second launch of one block.
#include "interface.cuh"

struct Sum {
    static __device__ double identity() { return 0; }
    static __device__ double of(double x) { return x; }
    static __device__ double combine(double a, double b) { return a + b; }
};
struct Max {
    static __device__ float identity() { return -INFINITY; }
    static __device__ float of(float x) { return x; }
    static __device__ float combine(float a, float b) { return fmaxf(a, b); }
};
struct Cubes {
    static __device__ long long identity() { return 0; }
    static __device__ unsigned long long of(int x) {
        const auto v = static_cast<unsigned long long>(static_cast<long long>(x));
        return v * v * v;
    }
    static __device__ long long of(long long cube) { return cube; }
    static __device__ long long combine(unsigned long long a, unsigned long long b) {
        return static_cast<long long>(a + b);
    }
};

template <class Op, class In, class T> __global__ void reduce(const In* in, std::size_t n, T* out) {
    __shared__ T of_warp[8];
    T value = Op::identity();
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * 256 + threadIdx.x; i < n;
         i += static_cast<std::size_t>(gridDim.x) * 256) {
        value = Op::combine(value, Op::of(in[i]));
    }
    for (int d = 16; d > 0; d /= 2)
        value = Op::combine(value, __shfl_xor_sync(0xffffffff, value, d));
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x >= 8) return;
    value = of_warp[threadIdx.x];
    for (int d = 4; d > 0; d /= 2) value = Op::combine(value, __shfl_down_sync(0xff, value, d, 8));
    if (threadIdx.x == 0) out[blockIdx.x] = value;
}

template <class Op, class In, class T> void two_launches(const In* in, std::size_t n, T* out) {
    T* partial = nullptr;
    cudaMalloc(&partial, 64 * sizeof(T));
    reduce<Op><<<64, 256>>>(in, n, partial);
    reduce<Op><<<1, 256>>>(partial, 64, out);
    cudaFree(partial);
}

void reduce_sum(const double* in, std::size_t n, double* out) { two_launches<Sum>(in, n, out); }
void reduce_max(const float* in, std::size_t n, float* out) { two_launches<Max>(in, n, out); }
void reduce_cubes(const int* in, std::size_t n, long long* out) {
    two_launches<Cubes>(in, n, out);
}
