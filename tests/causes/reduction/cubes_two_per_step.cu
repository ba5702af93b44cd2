// cause: wrong_stride line 17
// task: cubes
// Each step of the loop takes two elements per thread but advances by one grid of threads only, so elements are counted twice once the loop runs twice.
#include "interface.cuh"

static constexpr unsigned THREADS = 256;
static constexpr unsigned GRID = 264;

static __device__ __forceinline__ long long pow3(long long a) { return a * a * a; }

__global__ void __launch_bounds__(THREADS) cubes(const int* __restrict__ in, const size_t n, long long* partial)
{
    __shared__ long long s[THREADS];
    const size_t lanes = size_t(GRID) * THREADS;
    long long even = 0, odd = 0;

    for (size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x; i < n; i += lanes) {
        even += pow3(in[i]);
        if (i + lanes < n) odd += pow3(in[i + lanes]);
    }
    s[threadIdx.x] = even + odd;
    __syncthreads();

    for (unsigned half = THREADS >> 1; half; half >>= 1) {
        if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
        __syncthreads();
    }
    if (!threadIdx.x) partial[blockIdx.x] = s[0];
}

__global__ void addPartials(const long long* partial, long long* out)
{
    // one warp is plenty for a few hundred numbers
    long long v = 0;
    for (unsigned i = threadIdx.x; i < GRID; i += 32) v += partial[i];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x == 0) *out = v;
}

void reduce_cubes(const int* in, size_t n, long long* out)
{
    static long long* partial = nullptr;
    if (partial == nullptr) cudaMalloc(&partial, GRID * sizeof(*partial));
    cubes<<<GRID, THREADS>>>(in, n, partial);
    addPartials<<<1, 32>>>(partial, out);
}
