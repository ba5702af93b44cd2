// cause: state_kept_between_calls line 45 or 29
// task: bytes
// The copies of the histogram are cleared only when they are allocated. The second call counts on
// from where the first one ended.
#include "interface.cuh"

// Every block has a copy of the histogram in global memory; it adds its counts of each chunk there.
static const int kCopies = 32;
static unsigned int* copies = nullptr;

__global__ void count_chunks(const unsigned char* in, size_t n, unsigned int* copies) {
    __shared__ unsigned int warp_bins[4][256];  // one histogram per warp
    const int w = threadIdx.x / 32;
    const int lane = threadIdx.x % 32;

    for (int b = lane; b < 256; b += 32) {
        warp_bins[w][b] = 0;
    }
    __syncwarp();

    const size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += step) {
        atomicAdd(&warp_bins[w][in[i]], 1u);
    }
    __syncthreads();

    unsigned int* copy = copies + 256 * blockIdx.x;
    for (int b = threadIdx.x; b < 256; b += blockDim.x) {
        copy[b] += warp_bins[0][b] + warp_bins[1][b] + warp_bins[2][b] + warp_bins[3][b];
    }
}

__global__ void add_copies(const unsigned int* copies, unsigned int* bins) {
    const int b = threadIdx.x;
    bins[b] = 0;
    for (int c = 0; c < kCopies; ++c) {
        bins[b] += copies[256 * c + b];
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const size_t bytes = kCopies * 256 * sizeof(unsigned int);
    if (copies == nullptr) {
        cudaMalloc((void**)&copies, bytes);
        cudaMemset(copies, 0, bytes);
    }
    count_chunks<<<kCopies, 128>>>(in, n, copies);
    add_copies<<<1, 256>>>(copies, bins);
}
