// cause: counter_too_narrow line 27
// task: bins
// The counts that a block leaves in the table have 16 bits; wrong when one value occurs more than 65535 times in the share of a block.
// histogram_bins without atomics on global memory: every block leaves its own counts in a row of a table,
// and a second kernel adds up the columns.
#include "interface.cuh"

#include <algorithm>

template <class Number>
class DeviceBuffer {
  public:
    Number* at_least(std::size_t count) {
        if (count > count_) {
            cudaFree(data_);
            cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(Number));
            count_ = count;
        }
        return data_;
    }

  private:
    Number* data_ = nullptr;
    std::size_t count_ = 0;
};

using partial_t = unsigned short;

namespace config {
constexpr int block = 1024;
constexpr std::size_t share = 131072;  // elements that are worth a block
constexpr std::size_t most_blocks = 264;
constexpr unsigned most_bins = 12288;
}  // namespace config

static std::size_t choose_blocks(std::size_t n) {
    return std::clamp(n / config::share, std::size_t{1}, config::most_blocks);
}

__global__ void __launch_bounds__(config::block)
count_block(const unsigned int* __restrict__ in, std::size_t n, unsigned int bin_count, partial_t* __restrict__ table) {
    extern __shared__ unsigned int counts[];
    for (unsigned b = threadIdx.x; b < bin_count; b += config::block) counts[b] = 0;
    __syncthreads();

    const std::size_t step = static_cast<std::size_t>(gridDim.x) * config::block;
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * config::block + threadIdx.x;
    for (; i + 3 * step < n; i += 4 * step) {
        const unsigned a = in[i], b = in[i + step], c = in[i + 2 * step], d = in[i + 3 * step];
        atomicAdd(&counts[a], 1u);
        atomicAdd(&counts[b], 1u);
        atomicAdd(&counts[c], 1u);
        atomicAdd(&counts[d], 1u);
    }
    for (; i < n; i += step) atomicAdd(&counts[in[i]], 1u);
    __syncthreads();

    partial_t* const row = table + static_cast<std::size_t>(blockIdx.x) * bin_count;
    for (unsigned b = threadIdx.x; b < bin_count; b += config::block) row[b] = static_cast<partial_t>(counts[b]);
}

__global__ void add_rows(const partial_t* __restrict__ table, unsigned rows, unsigned bin_count,
                         unsigned int* __restrict__ bins) {
    const unsigned b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= bin_count) return;
    unsigned int sum = 0;
    for (unsigned r = 0; r < rows; ++r) sum += table[static_cast<std::size_t>(r) * bin_count + b];
    bins[b] = sum;
}

__global__ void count_directly(const unsigned int* __restrict__ in, std::size_t n, unsigned int* bins) {
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        atomicAdd(&bins[in[i]], 1u);
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int bin_count) {
    static DeviceBuffer<partial_t> buffer;
    if (bin_count > config::most_bins) {
        cudaMemsetAsync(bins, 0, sizeof(unsigned int) * bin_count);
        const std::size_t blocks = std::clamp((n + 255) / 256, std::size_t{1}, std::size_t{2112});
        count_directly<<<static_cast<unsigned>(blocks), 256>>>(in, n, bins);
        return;
    }
    const std::size_t blocks = choose_blocks(n);
    partial_t* const table = buffer.at_least(blocks * bin_count);
    count_block<<<static_cast<unsigned>(blocks), config::block, bin_count * sizeof(unsigned int)>>>(in, n, bin_count, table);
    add_rows<<<(bin_count + 127) / 128, 128>>>(table, static_cast<unsigned>(blocks), bin_count, bins);
}

// ---- bytes: a histogram per warp ----

__global__ void count_bytes(const unsigned char* __restrict__ in, std::size_t n, unsigned int* bins) {
    constexpr int warps = 8;
    __shared__ unsigned int of_warp[warps][256];
    for (int w = 0; w < warps; ++w) of_warp[w][threadIdx.x] = 0;
    __syncthreads();
    unsigned int* const mine = of_warp[threadIdx.x / 32];
    const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const std::size_t whole = n / 4;
    const std::size_t me = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const uchar4* const in4 = reinterpret_cast<const uchar4*>(in);
    for (std::size_t i = me; i < whole; i += step) {
        const uchar4 four = in4[i];
        atomicAdd(&mine[four.x], 1u);
        atomicAdd(&mine[four.y], 1u);
        atomicAdd(&mine[four.z], 1u);
        atomicAdd(&mine[four.w], 1u);
    }
    for (std::size_t i = 4 * whole + me; i < n; i += step) atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    unsigned int sum = 0;
    for (int w = 0; w < warps; ++w) sum += of_warp[w][threadIdx.x];
    if (sum != 0) atomicAdd(&bins[threadIdx.x], sum);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned int));
    const std::size_t blocks = std::clamp(n / 16384, std::size_t{1}, std::size_t{1056});
    count_bytes<<<static_cast<unsigned>(blocks), 256>>>(in, n, bins);
}
