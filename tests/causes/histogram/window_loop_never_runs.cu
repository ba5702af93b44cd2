// cause: nothing_launched line 84
// task: bins
// The condition of the loop over the windows is the one for its end, so that it never runs and no kernel is launched; wrong whenever n > 0.
// Histogram, by windows of bins that fit in shared memory.
#include "interface.cuh"

#include <cstdint>

using std::size_t;

namespace {

constexpr unsigned kThreads = 512;
constexpr unsigned kWindow = 12288;  // counters in 48 KB
constexpr unsigned kCopies = 8;      // of the 256 byte counters

unsigned grid_size(size_t n, size_t per_block) {
    const size_t blocks = (n + per_block - 1) / per_block;
    return static_cast<unsigned>(blocks < 528 ? (blocks > 0 ? blocks : 1) : 528);
}

__device__ void count_word(unsigned word, unsigned* mine) {
    for (int k = 0; k < 4; ++k) {
        atomicAdd(mine + (word & 255u) * kCopies, 1u);
        word >>= 8;
    }
}

// counter v of copy c is at v * kCopies + c
__global__ void bytes_kernel(const unsigned char* in, size_t n, unsigned* bins) {
    __shared__ unsigned counts[256 * kCopies];
    for (unsigned k = threadIdx.x; k < 256 * kCopies; k += blockDim.x) counts[k] = 0;
    __syncthreads();

    unsigned* const mine = counts + threadIdx.x % kCopies;
    const size_t vectors = n / 16;
    const size_t id = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const size_t all = size_t{gridDim.x} * blockDim.x;
    const uint4* const in4 = reinterpret_cast<const uint4*>(in);
    for (size_t i = id; i < vectors; i += all) {
        const uint4 q = in4[i];
        count_word(q.x, mine);
        count_word(q.y, mine);
        count_word(q.z, mine);
        count_word(q.w, mine);
    }
    if (id < n % 16) atomicAdd(mine + in[vectors * 16 + id] * kCopies, 1u);
    __syncthreads();

    for (unsigned v = threadIdx.x; v < 256; v += blockDim.x) {
        unsigned sum = 0;
        for (unsigned c = 0; c < kCopies; ++c) sum += counts[v * kCopies + (c + v) % kCopies];
        if (sum > 0) atomicAdd(bins + v, sum);
    }
}

__global__ void window_kernel(const unsigned* in, size_t n, unsigned first, unsigned width, unsigned* bins) {
    extern __shared__ unsigned window[];
    for (unsigned k = threadIdx.x; k < width; k += blockDim.x) window[k] = 0;
    __syncthreads();
    const size_t all = size_t{gridDim.x} * blockDim.x;
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += all) {
        const unsigned place = in[i] - first;  // huge if it is before the window
        if (place < width) atomicAdd(window + place, 1u);
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < width; k += blockDim.x) {
        if (window[k] != 0) atomicAdd(bins + first + k, window[k]);
    }
}

}  // namespace

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins) {
    cudaMemsetAsync(bins, 0, 256 * sizeof(unsigned));
    bytes_kernel<<<grid_size(n, 64 * kThreads), kThreads>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, size_t n, unsigned int* bins, unsigned int bin_count) {
    cudaMemsetAsync(bins, 0, bin_count * sizeof(unsigned));
    if (n == 0) return;
    const unsigned blocks = grid_size(n, 16 * kThreads);
    unsigned done = 0;
    while (done == bin_count) {
        const unsigned left = bin_count - done;
        const unsigned width = left < kWindow ? left : kWindow;
        window_kernel<<<blocks, kThreads, width * sizeof(unsigned)>>>(in, n, done, width, bins);
        done += width;
    }
}
