// cause: missing_fence line 67
// task: sum
// There is no fence between the partial sums of the warps and the counter that announces them; the last block may add up old ones whenever there are two or more blocks.
#include "interface.cuh"
#include <math.h>

/* reduction
 *   sum     every warp leaves a partial sum, the block that ends last adds them up
 *   max     one atomic per block on the bits of the result
 *   cubes   one atomic per block
 *   nested  one thread conducts: it launches the blocks and, for later, the one that adds up
 */

#define THREADS 512
#define WARPS (THREADS / 32)
#define MAX_BLOCKS 528
#define ALL_LANES 0xffffffffu

typedef unsigned long long ull;

__device__ double warpPartial[MAX_BLOCKS * WARPS];
__device__ unsigned int blocksDone = 0;

template <typename T>
__device__ T warpSum(T x)
{
    for (int d = 16; d >= 1; d >>= 1)
        x += __shfl_down_sync(ALL_LANES, x, d);
    return x;
}

/* the sum over the block, in thread 0 */
template <typename T>
__device__ T blockSum(T x)
{
    __shared__ T part[WARPS];
    x = warpSum(x);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;
    __syncthreads();
    T sum = 0;
    if (threadIdx.x == 0)
        for (int w = 0; w < WARPS; w++) sum += part[w];
    return sum;
}

static unsigned blocksFor(size_t n)
{
    size_t b = (n + 8 * THREADS - 1) / (8 * THREADS);
    return b == 0 ? 1u : b > MAX_BLOCKS ? (unsigned)MAX_BLOCKS : (unsigned)b;
}

__global__ void sumKernel(const double* in, size_t n, double* out)
{
    const size_t me = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t everybody = (size_t)gridDim.x * THREADS;
    const double2* pair = (const double2*)in;
    double s = 0;
    for (size_t i = me; i < n / 2; i += everybody) {
        const double2 p = pair[i];
        s += p.x + p.y;
    }
    if (me == 0 && n % 2 == 1) s += in[n - 1];

    s = warpSum(s);
    if (threadIdx.x % 32 == 0) {
        warpPartial[blockIdx.x * WARPS + threadIdx.x / 32] = s;
    }
    __syncthreads();

    __shared__ bool lastBlock;
    if (threadIdx.x == 0) {
        lastBlock = atomicAdd(&blocksDone, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!lastBlock) return;

    const volatile double* partial = warpPartial;
    double t = 0;
    for (unsigned k = threadIdx.x; k < gridDim.x * WARPS; k += THREADS) t += partial[k];
    t = blockSum(t);
    if (threadIdx.x == 0) {
        *out = t;
        blocksDone = 0;   /* for the next call */
    }
}

void reduce_sum(const double* in, std::size_t n, double* out)
{
    sumKernel<<<blocksFor(n), THREADS>>>(in, n, out);
}

__global__ void setFloat(float* out, float x) { *out = x; }

__global__ void maxKernel(const float* in, size_t n, float* out)
{
    __shared__ float part[WARPS];
    float m = -INFINITY;
    const size_t stride = (size_t)gridDim.x * THREADS;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += stride)
        m = fmaxf(m, in[i]);
    for (int d = 16; d >= 1; d >>= 1)
        m = fmaxf(m, __shfl_down_sync(ALL_LANES, m, d));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = m;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < WARPS; w++) m = fmaxf(m, part[w]);
        /* bits: without a sign they grow with the number, with a sign they fall */
        const int bits = __float_as_int(m);
        if (bits >= 0)
            atomicMax((int*)out, bits);
        else
            atomicMin((unsigned int*)out, (unsigned int)bits);
    }
}

void reduce_max(const float* in, std::size_t n, float* out)
{
    setFloat<<<1, 1>>>(out, -INFINITY);
    if (n > 0) maxKernel<<<blocksFor(n), THREADS>>>(in, n, out);
}

__global__ void cubesKernel(const int* in, size_t n, ull* out)
{
    ull s = 0;
    const size_t stride = (size_t)gridDim.x * THREADS;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += stride) {
        const ull x = (ull)(long long)in[i];
        s += x * x * x;
    }
    s = blockSum(s);
    if (threadIdx.x == 0) atomicAdd(out, s);
}

void reduce_cubes(const int* in, std::size_t n, long long* out)
{
    cudaMemset(out, 0, sizeof(long long));
    if (n == 0) return;
    cubesKernel<<<blocksFor(n), THREADS>>>(in, n, (ull*)out);
}

__device__ long long nestedPartial[MAX_BLOCKS];

__global__ void addElements(const int* in, size_t n)
{
    long long s = 0;
    const size_t stride = (size_t)gridDim.x * THREADS;
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += stride) s += in[i];
    s = blockSum(s);
    if (threadIdx.x == 0) nestedPartial[blockIdx.x] = s;
}

__global__ void addPartials(unsigned count, long long* out)
{
    long long s = 0;
    for (unsigned k = threadIdx.x; k < count; k += THREADS) s += nestedPartial[k];
    s = blockSum(s);
    if (threadIdx.x == 0) *out = s;
}

__global__ void conduct(const int* in, size_t n, unsigned blocks, long long* out)
{
    addElements<<<blocks, THREADS>>>(in, n);
    addPartials<<<1, THREADS, 0, cudaStreamTailLaunch>>>(blocks, out);
}

void reduce_nested(const int* in, std::size_t n, long long* out)
{
    conduct<<<1, 1>>>(in, n, blocksFor(n), out);
}
