// cause: wrong_signature line 103
// task: max
// The input of reduce_max is a float* without const, so this is another function, and the one of the interface is missing when the program is linked.
// Student solution, reduction (trees in shared memory, by halves)
#include "interface.cuh"
#include <cmath>
#include <cstdint>

const int T = 256;              // threads of a block, a power of two
const int GRID = 1024;          // blocks at most

static int gridFor(size_t n)
{
    size_t g = (n + 2 * T - 1) / (2 * T);
    if (g < 1) g = 1;
    return g < (size_t)GRID ? (int)g : GRID;
}

template <class V>
__device__ void addTree(V* s)
{
    int t = threadIdx.x;
    for (int half = T / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            s[t] += s[t + half];
    }
}

// ----------- sum -----------

__global__ void sum1(const double* in, size_t n, double* parts)
{
    __shared__ double s[T];
    size_t step = (size_t)gridDim.x * T;
    double mine = 0.0;
    size_t i = (size_t)blockIdx.x * T + threadIdx.x;
    while (i + step < n) {          // two at a time
        mine += in[i] + in[i + step];
        i += 2 * step;
    }
    if (i < n)
        mine += in[i];
    s[threadIdx.x] = mine;
    addTree(s);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = s[0];
}

static double* sumParts()
{
    static double* parts = NULL;
    if (!parts)
        cudaMalloc((void**)&parts, GRID * sizeof(double));
    return parts;
}

void reduce_sum(const double* in, std::size_t n, double* out)
{
    double* parts = sumParts();
    int g = gridFor(n);
    sum1<<<g, T>>>(in, n, parts);
    sum1<<<1, T>>>(parts, g, out);
}

// ----------- max -----------
// As unsigned numbers, the keys are in the order of the floats.

__device__ unsigned int bestKey;

__device__ unsigned int toKey(float x)
{
    unsigned int b = __float_as_uint(x);
    return (b >> 31) ? ~b : (b | 0x80000000u);
}

__device__ float fromKey(unsigned int k)
{
    return __uint_as_float((k >> 31) ? (k & 0x7fffffffu) : ~k);
}

__global__ void maxBegin() { bestKey = toKey(-INFINITY); }

__global__ void maxBlocks(const float* in, size_t n)
{
    __shared__ unsigned int s[T];
    unsigned int mine = toKey(-INFINITY);
    size_t step = (size_t)gridDim.x * T;
    for (size_t i = (size_t)blockIdx.x * T + threadIdx.x; i < n; i += step)
        mine = max(mine, toKey(in[i]));
    s[threadIdx.x] = mine;
    for (int half = T / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            s[threadIdx.x] = max(s[threadIdx.x], s[threadIdx.x + half]);
    }
    if (threadIdx.x == 0)
        atomicMax(&bestKey, s[0]);
}

__global__ void maxEnd(float* out) { *out = fromKey(bestKey); }

void reduce_max(float* in, std::size_t n, float* out)
{
    maxBegin<<<1, 1>>>();
    if (n > 0)
        maxBlocks<<<gridFor(n), T>>>(in, n);
    maxEnd<<<1, 1>>>(out);
}

// ----------- cubes -----------

__global__ void cubes(const int* in, size_t n, unsigned long long* out)
{
    __shared__ unsigned long long s[T];
    unsigned long long mine = 0;
    size_t step = (size_t)gridDim.x * T;
    for (size_t i = (size_t)blockIdx.x * T + threadIdx.x; i < n; i += step) {
        unsigned long long x = (unsigned long long)(int64_t)in[i];
        mine += x * x * x;
    }
    s[threadIdx.x] = mine;
    addTree(s);
    if (threadIdx.x == 0)
        atomicAdd(out, s[0]);
}

void reduce_cubes(const int* in, std::size_t n, long long* out)
{
    cudaMemset(out, 0, sizeof *out);
    if (n > 0)
        cubes<<<gridFor(n), T>>>(in, n, (unsigned long long*)out);
}

// ----------- nested -----------

__global__ void nestedTop(const long long* parts, int count, long long* out)
{
    __shared__ long long s[T];
    long long mine = 0;
    for (int k = threadIdx.x; k < count; k += T)
        mine += parts[k];
    s[threadIdx.x] = mine;
    addTree(s);
    if (threadIdx.x == 0)
        *out = s[0];
}

__global__ void nestedBottom(const int* in, size_t n, long long* parts, long long* out)
{
    __shared__ long long s[T];
    long long mine = 0;
    size_t step = (size_t)gridDim.x * T;
    for (size_t i = (size_t)blockIdx.x * T + threadIdx.x; i < n; i += step)
        mine += in[i];
    s[threadIdx.x] = mine;
    addTree(s);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = s[0];
        if (blockIdx.x == gridDim.x - 1)
            nestedTop<<<1, T, 0, cudaStreamTailLaunch>>>(parts, gridDim.x, out);
    }
}

void reduce_nested(const int* in, std::size_t n, long long* out)
{
    static long long* parts = NULL;
    if (!parts)
        cudaMalloc((void**)&parts, GRID * sizeof(long long));
    nestedBottom<<<gridFor(n), T>>>(in, n, parts, out);
}
