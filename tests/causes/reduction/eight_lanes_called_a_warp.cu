// cause: wrong_shuffle_mask line 24
// task: sum
// only the lanes 0 to 7 come to the second shuffles, but the mask names all 32: undefined, may wait for ever on a device
#include "interface.cuh"

#define ALL_LANES 0xffffffffu

constexpr unsigned THREADS = 256;
constexpr unsigned WARPS = THREADS / 32;

// Sums of two halves of the data: two additions under way at a time.
struct Pair {
    double even, odd;
    __device__ Pair& operator+=(double2 v) {
        even += v.x;
        odd += v.y;
        return *this;
    }
    __device__ double both() const { return even + odd; }
};

// Butterfly: afterwards each of the Lanes lanes has the sum of all of them.
template <unsigned Lanes> __device__ double butterfly(double v) {
    for (unsigned d = Lanes / 2; d > 0; d >>= 1) v += __shfl_xor_sync(ALL_LANES, v, d);
    return v;
}

__global__ void sum_blocks(const double* in, size_t n, double* out) {
    __shared__ double warp_sum[WARPS];
    const size_t t = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t step = (size_t)gridDim.x * THREADS;

    Pair mine = {0.0, 0.0};
    const double2* pairs = reinterpret_cast<const double2*>(in);
    for (size_t i = t; i < n / 2; i += step) mine += pairs[i];
    if (t == 0 && n % 2 == 1) mine.even += in[n - 1];

    const double w = butterfly<32>(mine.both());
    if (threadIdx.x % 32 == 0) warp_sum[threadIdx.x / 32] = w;
    __syncthreads();

    if (threadIdx.x < WARPS) {
        const double b = butterfly<WARPS>(warp_sum[threadIdx.x]);
        if (threadIdx.x == 0) atomicAdd(out, b);
    }
}

void reduce_sum(const double* in, size_t n, double* out) {
    cudaMemset(out, 0, sizeof(double));
    // one block for 4096 elements, but not more than the device holds at a time
    size_t blocks = (n + 4095) / 4096;
    if (blocks < 1) blocks = 1;
    if (blocks > 1056) blocks = 1056;
    sum_blocks<<<(unsigned)blocks, THREADS>>>(in, n, out);
}
