// cause: wrong_shuffle_mask line 73
// task: scatter
// The lanes beyond the end are named in the mask of the match but do not take part: shows when n is no multiple of 32.
#include "interface.cuh"

#define FULL 0xffffffffu

typedef long long i64;

/* ---------------------------------------------------------------- map */

__global__ void poly(const float *x, size_t n, const float *c, float *y)
{
    const float c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        float t = x[i];
        y[i] = ((c3 * t + c2) * t + c1) * t + c0;
    }
}

void map_cubic(const float *x, std::size_t n, float c0, float c1, float c2, float c3, float *y)
{
    static float *d_c = nullptr;
    if (!d_c) cudaMalloc(&d_c, 4 * sizeof(float));
    const float h_c[4] = {c0, c1, c2, c3};
    cudaMemcpy(d_c, h_c, sizeof h_c, cudaMemcpyHostToDevice);

    size_t blocks = (n + 511) / 512;
    if (blocks > 2048) blocks = 2048;
    poly<<<(unsigned)blocks, 512>>>(x, n, d_c, y);
}

/* ------------------------------------------------------------- gather */

// Four lanes share a cell: lane k looks up neighbour k.
__global__ void sum4(const float *value, const std::uint32_t *neighbour, size_t n, float *out)
{
    size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    float v = e < 4 * n ? value[neighbour[e]] : 0.0f;
    v += __shfl_xor_sync(FULL, v, 1);
    v += __shfl_xor_sync(FULL, v, 2);
    if (e < 4 * n && e % 4 == 0) out[e / 4] = v;
}

void gather_sum(const float *value, std::size_t m, const std::uint32_t *neighbour, std::size_t n,
                float *out)
{
    (void)m;
    sum4<<<(unsigned)((4 * n + 255) / 256), 256>>>(value, neighbour, n, out);
}

/* ------------------------------------------------------------ scatter */

// Sum of v over the lanes in peers, all of which call this together.
__device__ i64 sum_of(unsigned peers, int v)
{
    i64 sum = 0;
    for (unsigned rest = peers; rest; rest &= rest - 1)
        sum += __shfl_sync(peers, v, __ffs(rest) - 1);
    return sum;
}

__device__ void book(const int *value, const unsigned *target, size_t n, i64 *where)
{
    const unsigned lane = threadIdx.x % 32;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x - lane; first < n; first += step) {
        const size_t i = first + lane;
        const unsigned inside = __ballot_sync(FULL, i < n);
        if (i < n) {
            const unsigned t = target[i];
            const unsigned peers = __match_any_sync(FULL, t);
            const i64 sum = sum_of(peers, value[i]);
            if (lane == __ffs(peers) - 1)
                atomicAdd((unsigned long long *)&where[t], (unsigned long long)sum);
        }
    }
}

__global__ void book_in_block(const int *value, const unsigned *target, size_t n, size_t m, i64 *partial)
{
    extern __shared__ i64 own[];
    for (size_t t = threadIdx.x; t < m; t += blockDim.x) own[t] = 0;
    __syncthreads();
    book(value, target, n, own);
    __syncthreads();
    for (size_t t = threadIdx.x; t < m; t += blockDim.x) partial[blockIdx.x * m + t] = own[t];
}

__global__ void add_partials(const i64 *partial, size_t rows, size_t m, i64 *total)
{
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x; t < m; t += step) {
        i64 sum = 0;
        for (size_t r = 0; r < rows; ++r) sum += partial[r * m + t];
        total[t] = sum;
    }
}

__global__ void book_everywhere(const int *value, const unsigned *target, size_t n, i64 *total)
{
    book(value, target, n, total);
}

static i64 *scratch(size_t count)
{
    static i64 *memory = nullptr;
    static size_t size = 0;
    if (count > size) {
        cudaFree(memory);
        cudaMalloc(&memory, count * sizeof(i64));
        size = count;
    }
    return memory;
}

void scatter_add(const std::int32_t *value, const std::uint32_t *target, std::size_t n,
                 std::size_t m, std::int64_t *total)
{
    size_t blocks = (n + 2047) / 2048;
    if (blocks > 512) blocks = 512;
    if (n == 0 || m > 6000) {
        cudaMemset(total, 0, m * sizeof(i64));
        if (n) book_everywhere<<<(unsigned)blocks, 512>>>(value, target, n, (i64 *)total);
        return;
    }
    i64 *partial = scratch(blocks * m);
    book_in_block<<<(unsigned)blocks, 512, m * sizeof(i64)>>>(value, target, n, m, partial);
    add_partials<<<(unsigned)((m + 127) / 128), 128>>>(partial, blocks, m, (i64 *)total);
}
