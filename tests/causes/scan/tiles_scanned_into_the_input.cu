// cause: input_changed line 114
// task: exclusive_int
// The input, without its const, takes the scanned tiles instead of scratch memory; the result is right, but the input is changed.
#include "interface.cuh"

/* Kogge and Stone with two buffers, 512 elements per block; offsets are added in a last pass.
   The exclusive scans need the inclusive one of each tile first: element i takes number i - 1. */

#define TILE 512

template <typename T>
__device__ T koggeStone(T x)
{
    __shared__ T buffer[2][TILE];
    int now = 0;
    const int t = threadIdx.x;
    buffer[0][t] = x;
    __syncthreads();
    for (int d = 1; d < TILE; d <<= 1) {
        T y = buffer[now][t];
        if (t >= d) y += buffer[now][t - d];
        buffer[1 - now][t] = y;
        now = 1 - now;
        __syncthreads();
    }
    return buffer[now][t];
}

template <typename T>
__global__ void scanTiles(const T* in, size_t n, T* result, T* sums)
{
    const size_t i = (size_t)blockIdx.x * TILE + threadIdx.x;
    const T x = i < n ? in[i] : (T)0;
    const T s = koggeStone<T>(x);
    if (i < n) result[i] = s;
    if (threadIdx.x == TILE - 1) sums[blockIdx.x] = s;
}

// One block: exclusive scan of the sums, in place, TILE at a time
template <typename T>
__global__ void scanSums(T* sums, size_t count)
{
    __shared__ T carry;
    if (threadIdx.x == 0) carry = 0;
    __syncthreads();
    for (size_t base = 0; base < count; base += TILE) {
        const size_t i = base + threadIdx.x;
        const T before = carry;
        const T own = i < count ? sums[i] : (T)0;
        const T s = koggeStone<T>(own);
        // move by one: the inclusive value goes to the right neighbour
        __shared__ T moved[TILE + 1];
        moved[threadIdx.x + 1] = s;
        if (threadIdx.x == 0) moved[0] = 0;
        __syncthreads();
        if (i < count) sums[i] = before + moved[threadIdx.x];
        if (threadIdx.x == TILE - 1) carry = before + s;
        __syncthreads();
    }
}

template <typename T>
__global__ void finishInclusive(T* out, size_t n, const T* sums)
{
    const size_t i = (size_t)blockIdx.x * TILE + threadIdx.x;
    if (i < n && blockIdx.x > 0) out[i] = sums[blockIdx.x] + out[i];
}

template <typename T>
__global__ void finishExclusive(const T* scanned, size_t n, const T* sums, T* out)
{
    const size_t i = (size_t)blockIdx.x * TILE + threadIdx.x;
    if (i >= n) return;
    T v = sums[blockIdx.x];
    if (threadIdx.x > 0) v += scanned[i - 1];
    out[i] = v;
}

enum Purpose { SUMS, SCANNED };

// scratch memory for a purpose, reused by later calls
template <typename T, Purpose P>
T* scratch(size_t count)
{
    static T* memory = 0;
    static size_t size = 0;
    if (count > size) {
        if (memory) cudaFree(memory);
        cudaMalloc((void**)&memory, count * sizeof(T));
        size = count;
    }
    return memory;
}

static size_t tileCount(size_t n) { return (n + TILE - 1) / TILE; }

template <typename T>
void tilesAndSums(const T* in, size_t n, T* result, T* sums)
{
    scanTiles<T><<<(unsigned)tileCount(n), TILE>>>(in, n, result, sums);
    scanSums<T><<<1, TILE>>>(sums, tileCount(n));
}

void scan_inclusive_int(const int* in, std::size_t n, int* out)
{
    int* sums = scratch<int, SUMS>(tileCount(n));
    tilesAndSums(in, n, out, sums);
    finishInclusive<<<(unsigned)tileCount(n), TILE>>>(out, n, sums);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out)
{
    int* sums = scratch<int, SUMS>(tileCount(n));
    int* scanned = const_cast<int*>(in);
    tilesAndSums(in, n, scanned, sums);
    finishExclusive<<<(unsigned)tileCount(n), TILE>>>(scanned, n, sums, out);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out)
{
    float* sums = scratch<float, SUMS>(tileCount(n));
    tilesAndSums(in, n, out, sums);
    finishInclusive<<<(unsigned)tileCount(n), TILE>>>(out, n, sums);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out)
{
    float* sums = scratch<float, SUMS>(tileCount(n));
    float* scanned = scratch<float, SCANNED>(n);
    tilesAndSums(in, n, scanned, sums);
    finishExclusive<<<(unsigned)tileCount(n), TILE>>>(scanned, n, sums, out);
}
