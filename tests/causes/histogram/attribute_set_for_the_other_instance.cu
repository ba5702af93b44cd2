// cause: launch_refused line 87 or 71
// task: bins
// The limit for dynamic shared memory is raised for private_count<2> only; with 12289 bins or more private_count<1> wants over 48 KB and is refused.
#include "interface.cuh"

namespace {

constexpr unsigned kThreads = 512;
constexpr unsigned kBlocks = 132;
constexpr std::size_t kSharedMax = 96 * 1024;  // bytes of private bins that a block may have

/// A range-based loop for device code: for (auto i : stride(n)) ...
struct GridRange {
    std::size_t first, last, step;
    struct Iterator {
        std::size_t i, last, step;
        __device__ std::size_t operator*() const { return i; }
        __device__ void operator++() { i += step; }
        __device__ bool operator!=(const Iterator&) const { return i < last; }
    };
    __device__ Iterator begin() const { return {first, last, step}; }
    __device__ Iterator end() const { return {last, last, step}; }
};

__device__ GridRange over_grid(std::size_t n) {
    return {static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x, n,
            static_cast<std::size_t>(gridDim.x) * blockDim.x};
}

__device__ GridRange over_block(std::size_t n) { return {threadIdx.x, n, blockDim.x}; }

// ---- bins in global memory, where they fit nowhere else

__global__ void global_count(const unsigned int* in, std::size_t n, unsigned int* bins) {
    for (auto i : over_grid(n)) atomicAdd(bins + in[i], 1u);
}

// ---- private bins, several copies of them: warps w, w + Copies, ... share one

template <unsigned Copies>
__global__ void private_count(const unsigned int* in, std::size_t n, unsigned int* bins,
                              unsigned int bin_count) {
    extern __shared__ unsigned int copies[];
    for (auto k : over_block(static_cast<std::size_t>(Copies) * bin_count)) copies[k] = 0;
    __syncthreads();

    unsigned int* mine = copies + (threadIdx.x / 32 % Copies) * bin_count;
    for (auto i : over_grid(n)) atomicAdd(mine + in[i], 1u);
    __syncthreads();

    for (auto b : over_block(bin_count)) {
        unsigned int sum = 0;
        for (unsigned c = 0; c < Copies; ++c) sum += copies[c * bin_count + b];
        if (sum > 0) atomicAdd(bins + b, sum);
    }
}

template <unsigned Copies>
constexpr std::size_t bytes_for(unsigned int bin_count) {
    return static_cast<std::size_t>(Copies) * bin_count * sizeof(unsigned int);
}

struct Problem {
    const unsigned int* in;
    std::size_t n;
    unsigned int* bins;
    unsigned int bin_count;

    template <unsigned Copies>
    void count_private() const {
        private_count<Copies>
            <<<kBlocks, kThreads, bytes_for<Copies>(bin_count)>>>(in, n, bins, bin_count);
    }
    void count_global() const { global_count<<<kBlocks * 4, kThreads>>>(in, n, bins); }
};

}  // namespace

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, bin_count * sizeof(unsigned int));
    if (n == 0) return;

    // more than the usual 48 KB has to be asked for
    const int most = static_cast<int>(kSharedMax);
    const auto attribute = cudaFuncAttributeMaxDynamicSharedMemorySize;
    cudaFuncSetAttribute(private_count<2>, attribute, most);

    const Problem problem{in, n, bins, bin_count};
    if (bytes_for<2>(bin_count) <= kSharedMax)
        problem.count_private<2>();
    else if (bytes_for<1>(bin_count) <= kSharedMax)
        problem.count_private<1>();
    else
        problem.count_global();
}

void histogram_bytes(const unsigned char*, std::size_t, unsigned int*) {
    // TODO
}
