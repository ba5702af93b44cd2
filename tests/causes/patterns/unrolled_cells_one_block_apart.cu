// cause: wrong_stride line 63
// task: gather
// The four cells of a thread are one block apart where the loop expects them one grid apart, so cells are computed twice and others never; shows from n = 1280 on.
// patterns
#include "interface.cuh"

using u64 = unsigned long long;

static int blocks_needed(std::size_t work, std::size_t per_block, int most)
{
    std::size_t b = (work + per_block - 1) / per_block;
    if (b > (std::size_t)most)
        b = most;
    return b > 0 ? (int)b : 1;
}

// ------------------------------------------------------------------------ map

__device__ __forceinline__ float calibrate(float x, float4 c)
{
    float r = c.w;
    r = r * x + c.z;
    r = r * x + c.y;
    r = r * x + c.x;
    return r;
}

__global__ void map_kernel(const float *x, std::size_t n, float4 c, float *y)
{
    const std::size_t step = (std::size_t)gridDim.x * blockDim.x;
    const std::size_t me = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const std::size_t full = n / 4;
    for (std::size_t q = me; q < full; q += step) {
        float4 v = ((const float4 *)x)[q];
        v.x = calibrate(v.x, c);
        v.y = calibrate(v.y, c);
        v.z = calibrate(v.z, c);
        v.w = calibrate(v.w, c);
        ((float4 *)y)[q] = v;
    }
    for (std::size_t i = 4 * full + me; i < n; i += step)
        y[i] = calibrate(x[i], c);
}

void map_cubic(const float *x, std::size_t n, float c0, float c1, float c2, float c3, float *y)
{
    map_kernel<<<blocks_needed(n, 1024, 2112), 256>>>(x, n, make_float4(c0, c1, c2, c3), y);
}

// --------------------------------------------------------------------- gather

template <int CELLS>
__global__ void gather_kernel(const float *value, const std::uint32_t *neighbour, std::size_t n,
                              float *out)
{
    const uint4 *rows = reinterpret_cast<const uint4 *>(neighbour);
    const std::size_t threads = (std::size_t)gridDim.x * blockDim.x;
    const std::size_t me = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;

    for (std::size_t first = me; first < n; first += CELLS * threads) {
#pragma unroll
        for (int k = 0; k < CELLS; k++) {
            const std::size_t cell = first + k * blockDim.x;
            if (cell < n) {
                const uint4 r = rows[cell];
                out[cell] = value[r.x] + value[r.y] + value[r.z] + value[r.w];
            }
        }
    }
}

void gather_sum(const float *value, std::size_t m, const std::uint32_t *neighbour, std::size_t n,
                float *out)
{
    gather_kernel<4><<<blocks_needed(n, 4 * 256, 1056), 256>>>(value, neighbour, n, out);
}

// -------------------------------------------------------------------- scatter
// COPIES totals for each account, so that blocks meet less often; a second kernel adds them up.

static const int COPIES = 8;
static const std::size_t FITS = 2048;

__global__ void scatter_kernel(const std::int32_t *value, const std::uint32_t *target,
                               std::size_t n, std::size_t m, u64 *scratch)
{
    __shared__ u64 own[FITS];
    u64 *copy = scratch + (blockIdx.x % COPIES) * m;
    const bool use_own = m <= FITS;

    if (use_own) {
        for (std::size_t t = threadIdx.x; t < m; t += blockDim.x)
            own[t] = 0;
        __syncthreads();
    }
    u64 *sums = use_own ? own : copy;
    const std::size_t step = (std::size_t)gridDim.x * blockDim.x;
    for (std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        const long long amount = value[i];
        atomicAdd(sums + target[i], (u64)amount);
    }
    if (use_own) {
        __syncthreads();
        for (std::size_t t = threadIdx.x; t < m; t += blockDim.x)
            if (own[t] != 0)
                atomicAdd(copy + t, own[t]);
    }
}

__global__ void add_copies(const u64 *scratch, std::size_t m, std::int64_t *total)
{
    const std::size_t t = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= m)
        return;
    u64 sum = 0;
    for (int c = 0; c < COPIES; c++)
        sum += scratch[c * m + t];
    total[t] = (std::int64_t)sum;
}

void scatter_add(const std::int32_t *value, const std::uint32_t *target, std::size_t n,
                 std::size_t m, std::int64_t *total)
{
    static u64 *scratch = nullptr;
    static std::size_t bytes = 0;

    const std::size_t needed = COPIES * m * sizeof(u64);
    if (needed > bytes) {
        cudaFree(scratch);
        cudaMalloc(&scratch, needed);
        bytes = needed;
    }
    cudaMemset(scratch, 0, needed);
    scatter_kernel<<<blocks_needed(n, 4096, 1056), 256>>>(value, target, n, m, scratch);
    add_copies<<<(unsigned)((m + 255) / 256), 256>>>(scratch, m, total);
}
