// cause: missing_atomic line 29
// task: scatter
// All blocks of one column of the grid merge into the same totals with a plain +=, and lose each other's sums.
#include "interface.cuh"

typedef unsigned long long ull;

static constexpr unsigned RANGE = 2048;    // accounts per blockIdx.y, 16 KB
static constexpr unsigned PARTS = 16;      // sections of the bookings

__global__ void by_range(const int32_t* value, const uint32_t* target, size_t n, size_t m, ull* total)
{
    __shared__ ull mine[RANGE];
    const size_t base = (size_t)blockIdx.y * RANGE;
    const unsigned width = m - base < RANGE ? (unsigned)(m - base) : RANGE;

    for (unsigned k = threadIdx.x; k < width; k += blockDim.x)
        mine[k] = 0;
    __syncthreads();

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)PARTS * blockDim.x) {
        const size_t t = target[i];
        if (t >= base && t - base < width)
            atomicAdd(&mine[t - base], (ull)(long long)value[i]);
    }
    __syncthreads();

    for (unsigned k = threadIdx.x; k < width; k += blockDim.x)
        total[base + k] += mine[k];
}

void scatter_add(const int32_t* value, const uint32_t* target, size_t n, size_t m, int64_t* total)
{
    cudaMemset(total, 0, m * sizeof *total);
    dim3 grid(PARTS, (unsigned)((m + RANGE - 1) / RANGE));
    by_range<<<grid, 256>>>(value, target, n, m, (ull*)total);
}
