// cause: uninitialised_shared line 19
// task: scatter
// each thread clears one private total only, so with more totals than the 256 threads of a block the rest start with garbage
#include "interface.cuh"

typedef unsigned long long int total_t;

static constexpr unsigned NTHREADS = 256;
static constexpr unsigned WINDOW   = 2048;

/* Totals are worked off in windows of 2048; blockIdx.y is the window. */
__global__ void windowKernel(const int *amounts, const unsigned *accounts, size_t n, size_t m, total_t *totals)
{
    __shared__ total_t part[WINDOW];
    const size_t lo = size_t(blockIdx.y) * WINDOW;
    const size_t len = m - lo < WINDOW ? m - lo : WINDOW;

    if (threadIdx.x < len)
        part[threadIdx.x] = 0;
    __syncthreads();

    for (size_t i = blockIdx.x * size_t(NTHREADS) + threadIdx.x; i < n; i += gridDim.x * size_t(NTHREADS)) {
        const size_t where = accounts[i] - lo;      // huge when it lies below the window
        if (where < len) {
            const long long amount = amounts[i];
            atomicAdd(part + where, (total_t)amount);
        }
    }
    __syncthreads();

    for (size_t k = threadIdx.x; k < len; k += NTHREADS)
        atomicAdd(totals + lo + k, part[k]);
}

__global__ void globalKernel(const int *amounts, const unsigned *accounts, size_t n, total_t *totals)
{
    const size_t i = blockIdx.x * size_t(NTHREADS) + threadIdx.x;
    if (i < n)
        atomicAdd(totals + accounts[i], (total_t)(long long)amounts[i]);
}

void scatter_add(const std::int32_t *value, const std::uint32_t *target, std::size_t n, std::size_t m, std::int64_t *total)
{
    total_t *totals = reinterpret_cast<total_t *>(total);
    cudaMemset(totals, 0, m * sizeof(total_t));
    if (n == 0)
        return;
    const size_t windows = (m + WINDOW - 1) / WINDOW;
    if (windows > 4) {
        globalKernel<<<unsigned((n + NTHREADS - 1) / NTHREADS), NTHREADS>>>(value, target, n, totals);
        return;
    }
    size_t blocks = (n + 8 * NTHREADS - 1) / (8 * NTHREADS);
    if (blocks > 512)
        blocks = 512;
    windowKernel<<<dim3(unsigned(blocks), unsigned(windows)), NTHREADS>>>(value, target, n, m, totals);
}
