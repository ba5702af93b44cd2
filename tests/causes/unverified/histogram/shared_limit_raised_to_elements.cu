// cause: size_in_elements line 93
// task: bins
// The limit for dynamic shared memory is set to the number of counters where bytes are meant, so the launch that needs four times as much is refused, surely so where it needs more than 48 KB.
#include "interface.cuh"

#include <algorithm>

namespace student {

using Count = unsigned int;

// Two counters of 16 bits share one word: half of the shared memory, twice as many blocks. A block
// empties them into the global bins after every slice of the input.
struct PackedHistogram {
    Count word[128];

    __device__ void clear() {
        for (int i = threadIdx.x; i < 128; i += blockDim.x) word[i] = 0;
    }
    __device__ void add(unsigned char v) {
        atomicAdd(&word[v >> 1], (v & 1) ? 0x10000u : 1u);
    }
    __device__ Count get(int v) const { return (word[v >> 1] >> ((v & 1) * 16)) & 0xFFFFu; }
};

constexpr std::size_t slice = 65280;

__global__ void bytes(const unsigned char* __restrict__ in, std::size_t n, Count* bins) {
    __shared__ PackedHistogram local;
    for (std::size_t begin = blockIdx.x * slice; begin < n; begin += gridDim.x * slice) {
        local.clear();
        __syncthreads();
        const std::size_t end = min(begin + slice, n);
        for (std::size_t i = begin + threadIdx.x; i < end; i += blockDim.x) local.add(in[i]);
        __syncthreads();
        for (int v = threadIdx.x; v < 256; v += blockDim.x)
            if (const Count c = local.get(v)) atomicAdd(bins + v, c);
        __syncthreads();
    }
}

// copies of one counter lie side by side, and each lane has its favourite
__global__ void many_bins(const Count* __restrict__ in, std::size_t n, Count* bins,
                          unsigned int bin_count, unsigned int copies) {
    extern __shared__ Count counters[];
    const unsigned int total = bin_count * copies;
    for (unsigned int i = threadIdx.x; i < total; i += blockDim.x) counters[i] = 0;
    __syncthreads();

    const unsigned int favourite = threadIdx.x % copies;
    const std::size_t all = std::size_t(blockDim.x) * gridDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += all)
        atomicAdd(&counters[in[i] * copies + favourite], 1u);
    __syncthreads();

    for (unsigned int v = threadIdx.x; v < bin_count; v += blockDim.x) {
        Count sum = 0;
        for (unsigned int c = 0; c < copies; ++c) sum += counters[v * copies + c];
        if (sum > 0) atomicAdd(bins + v, sum);
    }
}

__global__ void too_many_bins(const Count* in, std::size_t n, Count* bins) {
    const std::size_t all = std::size_t(blockDim.x) * gridDim.x;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += all)
        atomicAdd(bins + in[i], 1u);
}

}  // namespace student

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    using namespace student;
    cudaMemset(bins, 0, 256 * sizeof(Count));
    const std::size_t slices = (n + slice - 1) / slice;
    if (slices > 0) bytes<<<unsigned(std::min<std::size_t>(slices, 1056)), 512>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    using namespace student;
    cudaMemset(bins, 0, std::size_t(bin_count) * sizeof(Count));
    if (n == 0) return;

    constexpr unsigned int room = 224 * 1024 / sizeof(Count);  // counters that a block may have
    if (bin_count > room || n < bin_count) {
        const std::size_t blocks = std::min<std::size_t>((n + 255) / 256, 8192);
        too_many_bins<<<unsigned(blocks), 256>>>(in, n, bins);
        return;
    }
    const unsigned int copies = std::min(room / bin_count, 8u);
    const unsigned int counters = bin_count * copies;
    const unsigned int bytes_needed = counters * sizeof(Count);
    cudaFuncSetAttribute(many_bins, cudaFuncAttributeMaxDynamicSharedMemorySize, counters);
    const std::size_t blocks = std::min<std::size_t>((n + 65535) / 65536, 264);
    many_bins<<<unsigned(blocks), 1024, bytes_needed>>>(in, n, bins, bin_count, copies);
}
