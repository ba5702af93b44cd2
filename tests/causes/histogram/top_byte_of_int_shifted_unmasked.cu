// cause: signed_byte line 16
// task: bytes
// The fourth byte of a signed 32-bit word is taken by an arithmetic shift without a mask, so from 128 on the index is negative; shows for n >= 16 with such a byte at a place 3 mod 4.
#include "interface.cuh"

namespace {

constexpr int THREADS = 256;
constexpr int COPIES = 8;
constexpr unsigned int SHARED_BINS = 12288;

__device__ void count_four(unsigned int* counts, int copy, int word) {
    const int a = word & 0xFF;
    const int b = (word >> 8) & 0xFF;
    const int c = (word >> 16) & 0xFF;
    const int d = word >> 24;
    atomicAdd(&counts[a * COPIES + copy], 1u);
    atomicAdd(&counts[b * COPIES + copy], 1u);
    atomicAdd(&counts[c * COPIES + copy], 1u);
    atomicAdd(&counts[d * COPIES + copy], 1u);
}

// counts[value * COPIES + copy]: neighbouring lanes use neighbouring banks.
__global__ void bytes_kernel(const unsigned char* in, std::size_t n, unsigned int* bins) {
    __shared__ unsigned int counts[256 * COPIES];
    for (int i = threadIdx.x; i < 256 * COPIES; i += THREADS) counts[i] = 0;
    __syncthreads();

    const int copy = threadIdx.x % COPIES;
    const int4* wide = reinterpret_cast<const int4*>(in);
    const std::size_t quads = n / 16;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * THREADS;
    for (std::size_t q = static_cast<std::size_t>(blockIdx.x) * THREADS + threadIdx.x; q < quads;
         q += stride) {
        const int4 w = wide[q];
        count_four(counts, copy, w.x);
        count_four(counts, copy, w.y);
        count_four(counts, copy, w.z);
        count_four(counts, copy, w.w);
    }
    if (blockIdx.x == 0 && threadIdx.x < n % 16)
        atomicAdd(&counts[in[quads * 16 + threadIdx.x] * COPIES + copy], 1u);
    __syncthreads();

    unsigned int sum = 0;
    for (int k = 0; k < COPIES; ++k) sum += counts[threadIdx.x * COPIES + k];
    if (sum != 0) atomicAdd(&bins[threadIdx.x], sum);
}

__global__ void bins_private(const unsigned int* in, std::size_t n, unsigned int* bins,
                             unsigned int bin_count, unsigned int copies) {
    extern __shared__ unsigned int mine[];
    for (unsigned int i = threadIdx.x; i < bin_count * copies; i += THREADS) mine[i] = 0;
    __syncthreads();

    unsigned int* own = mine + (threadIdx.x / 32 % copies) * bin_count;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * THREADS;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * THREADS + threadIdx.x; i < n;
         i += stride)
        atomicAdd(&own[in[i]], 1u);
    __syncthreads();

    for (unsigned int v = threadIdx.x; v < bin_count; v += THREADS) {
        unsigned int sum = 0;
        for (unsigned int k = 0; k < copies; ++k) sum += mine[k * bin_count + v];
        if (sum != 0) atomicAdd(&bins[v], sum);
    }
}

__global__ void bins_global(const unsigned int* in, std::size_t n, unsigned int* bins) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * THREADS;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * THREADS + threadIdx.x; i < n;
         i += stride)
        atomicAdd(&bins[in[i]], 1u);
}

int blocks_for(std::size_t n, std::size_t per_block, std::size_t most) {
    const std::size_t wanted = (n + per_block - 1) / per_block;
    return static_cast<int>(wanted < most ? wanted : most);
}

}  // namespace

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    if (n == 0) return;
    bytes_kernel<<<blocks_for(n, 32768, 1056), THREADS>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n == 0) return;
    if (bin_count > SHARED_BINS || n < bin_count) {
        bins_global<<<blocks_for(n, THREADS, 4096), THREADS>>>(in, n, bins);
        return;
    }
    unsigned int copies = SHARED_BINS / bin_count;
    if (copies > COPIES) copies = COPIES;
    const std::size_t bytes = static_cast<std::size_t>(bin_count) * copies * sizeof(unsigned int);
    bins_private<<<blocks_for(n, 16384, 528), THREADS, bytes>>>(in, n, bins, bin_count, copies);
}
