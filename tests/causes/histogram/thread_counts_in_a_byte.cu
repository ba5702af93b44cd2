// cause: counter_too_narrow line 9
// task: bytes
// A thread counts in bytes; wrong when it meets one value more than 255 times, as with many equal bytes.
#include "interface.cuh"

// A histogram for each thread, so that no two threads ever share a counter while they count.
// Column t of the table belongs to thread t.

typedef unsigned char Count;

#define VALUES 256
#define WORKERS 64
#define BYTES_PER_WORKER 512     // at least; otherwise adding up the columns costs more than counting

__device__ void countFour(unsigned int four, Count (*table)[WORKERS], int t)
{
    table[four & 0xff][t]++;
    table[(four >> 8) & 0xff][t]++;
    table[(four >> 16) & 0xff][t]++;
    table[four >> 24][t]++;
}

__global__ void countBytes(const unsigned char* in, size_t n, unsigned int* bins)
{
    __shared__ Count table[VALUES][WORKERS];
    const int t = threadIdx.x;
    for (int v = 0; v < VALUES; v++)
        table[v][t] = 0;

    const size_t quads = n / 16;
    const size_t me = (size_t)blockIdx.x * WORKERS + t;
    const uint4* in16 = (const uint4*)in;
    for (size_t q = me; q < quads; q += (size_t)gridDim.x * WORKERS) {
        uint4 data = in16[q];
        countFour(data.x, table, t);
        countFour(data.y, table, t);
        countFour(data.z, table, t);
        countFour(data.w, table, t);
    }
    // what does not fill 16 bytes
    if (me < n - quads * 16)
        table[in[quads * 16 + me]][t]++;
    __syncthreads();

    for (int v = t; v < VALUES; v += WORKERS) {
        unsigned int sum = 0;
        for (int k = 0; k < WORKERS; k++)
            sum += table[v][(k + 2 * t) % WORKERS];
        if (sum)
            atomicAdd(&bins[v], sum);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins)
{
    cudaMemset(bins, 0, VALUES * sizeof(unsigned int));
    if (n == 0)
        return;
    std::size_t blocks = n / (WORKERS * BYTES_PER_WORKER);
    if (blocks < 1) blocks = 1;
    if (blocks > 1056) blocks = 1056;
    countBytes<<<(unsigned int)blocks, WORKERS>>>(in, n, bins);
}

__global__ void countInGlobal(const unsigned int* in, size_t n, unsigned int* bins)
{
    size_t stride = (size_t)blockDim.x * gridDim.x;
    for (size_t i = (size_t)blockDim.x * blockIdx.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[in[i]], 1u);
}

__global__ void countInShared(const unsigned int* in, size_t n, unsigned int* bins, unsigned int bin_count)
{
    extern __shared__ unsigned int own[];
    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x)
        own[b] = 0;
    __syncthreads();
    size_t stride = (size_t)blockDim.x * gridDim.x;
    for (size_t i = (size_t)blockDim.x * blockIdx.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&own[in[i]], 1u);
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < bin_count; b += blockDim.x)
        if (own[b])
            atomicAdd(&bins[b], own[b]);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int bin_count)
{
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n == 0)
        return;
    const bool fits = bin_count <= 48 * 1024 / sizeof(unsigned int);
    std::size_t blocks = n / 8192 + 1;
    if (blocks > 264) blocks = 264;
    if (fits)
        countInShared<<<(unsigned int)blocks, 1024, bin_count * sizeof(unsigned int)>>>(in, n, bins, bin_count);
    else
        countInGlobal<<<(unsigned int)blocks * 8, 256>>>(in, n, bins);
}
