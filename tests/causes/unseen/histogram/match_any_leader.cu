// cause: missing_atomic line 30
// task: bins
// The leaders of several warps of a block add to one counter in shared memory with +=, and lose counts.
#include "interface.cuh"

#define FULL 0xffffffffu
#define MAX_SHARED_BINS 12288u

// All lanes with the same value form a group; its first lane adds for all of them.
template <typename Adder>
__device__ void for_groups(const unsigned* in, size_t n, Adder add)
{
    const unsigned lane = threadIdx.x & 31;
    const size_t step = (size_t)gridDim.x * blockDim.x;
    const size_t first = (size_t)blockIdx.x * blockDim.x + threadIdx.x - lane;
    for (size_t base = first; base < n; base += step) {
        const bool in_range = base + lane < n;
        const unsigned v = in_range ? in[base + lane] : 0xffffffffu;
        const unsigned group = __match_any_sync(FULL, v);
        if (in_range && lane == __ffs(group) - 1) add(v, __popc(group));
    }
}

__global__ void hist_shared(const unsigned* in, size_t n, unsigned* bins, unsigned bin_count)
{
    extern __shared__ unsigned cnt[];
    for (unsigned b = threadIdx.x; b < bin_count; b += blockDim.x) cnt[b] = 0;
    __syncthreads();

    for_groups(in, n, [](unsigned v, unsigned k) { cnt[v] += k; });
    __syncthreads();

    for (unsigned b = threadIdx.x; b < bin_count; b += blockDim.x)
        if (cnt[b]) atomicAdd(&bins[b], cnt[b]);
}

__global__ void hist_global(const unsigned* in, size_t n, unsigned* bins)
{
    for_groups(in, n, [=](unsigned v, unsigned k) { atomicAdd(&bins[v], k); });
}

void histogram_bins(const unsigned* in, size_t n, unsigned* bins, unsigned bin_count)
{
    cudaMemset(bins, 0, sizeof(unsigned) * bin_count);
    if (bin_count <= MAX_SHARED_BINS)
        hist_shared<<<12, 128, sizeof(unsigned) * bin_count>>>(in, n, bins, bin_count);
    else
        hist_global<<<96, 128>>>(in, n, bins);
}
