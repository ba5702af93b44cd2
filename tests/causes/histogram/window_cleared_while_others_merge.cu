// cause: missing_barrier line 85
// task: bins
// A block clears the next window of bins while some of its threads still add up the last one: shows with more than 8192 bins and several blocks.
#include "interface.cuh"

// ---- bytes: each block writes its own histogram to global memory, the last one adds them up

const int BYTE_BLOCKS = 528;
const int BYTE_THREADS = 512;

__device__ unsigned g_parts[BYTE_BLOCKS * 256];
__device__ unsigned g_arrived;

__device__ void tally(unsigned (*copies)[257], unsigned four) {
    unsigned* mine = copies[threadIdx.x & 7];
    atomicAdd(mine + (four & 0xffu), 1u);
    atomicAdd(mine + (four >> 8 & 0xffu), 1u);
    atomicAdd(mine + (four >> 16 & 0xffu), 1u);
    atomicAdd(mine + (four >> 24), 1u);
}

__global__ void byte_histogram(const unsigned char* in, size_t n, unsigned* bins) {
    __shared__ unsigned copies[8][257];
    __shared__ bool last;
    const unsigned tid = threadIdx.x;

    for (unsigned k = tid; k < 8 * 257; k += blockDim.x) copies[k / 257][k % 257] = 0;
    __syncthreads();

    const unsigned* words = reinterpret_cast<const unsigned*>(in);
    const size_t first = size_t(blockIdx.x) * blockDim.x + tid;
    const size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = first; i < n / 4; i += step) tally(copies, words[i]);
    for (size_t i = n / 4 * 4 + first; i < n; i += step) atomicAdd(&copies[0][in[i]], 1u);
    __syncthreads();

    if (tid < 256) {
        unsigned sum = 0;
        for (int c = 0; c < 8; ++c) sum += copies[c][tid];
        g_parts[blockIdx.x * 256 + tid] = sum;
    }
    __threadfence();
    __syncthreads();
    if (tid == 0) last = atomicAdd(&g_arrived, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;

    __threadfence();
    if (tid < 256) {
        const volatile unsigned* parts = g_parts;
        unsigned sum = 0;
        for (unsigned b = 0; b < gridDim.x; ++b) sum += parts[b * 256 + tid];
        bins[tid] = sum;
    }
    if (tid == 0) g_arrived = 0;
}

// ---- bins: as many at a time as shared memory holds

const unsigned WINDOW = 8192;

__global__ void window_histogram(const unsigned* in, size_t n, unsigned* bins, unsigned bin_count) {
    __shared__ unsigned window[WINDOW];
    const size_t step = size_t(gridDim.x) * blockDim.x;

    for (unsigned low = 0; low < bin_count; low += WINDOW) {
        const unsigned width = bin_count - low < WINDOW ? bin_count - low : WINDOW;
        for (unsigned b = threadIdx.x; b < width; b += blockDim.x) window[b] = 0;
        __syncthreads();

        for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
            const unsigned v = in[i];
            if (v >= low && v - low < width) atomicAdd(&window[v - low], 1u);
        }
        __syncthreads();

        // Each block begins at another bin, so that they do not all meet in the same one.
        const unsigned start = blockIdx.x * 97u % width;
        for (unsigned k = threadIdx.x; k < width; k += blockDim.x) {
            unsigned b = start + k;
            if (b >= width) b -= width;
            const unsigned count = window[b];
            if (count) atomicAdd(&bins[low + b], count);
        }
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    size_t blocks = n / (BYTE_THREADS * 16) + 1;
    if (blocks > BYTE_BLOCKS) blocks = BYTE_BLOCKS;
    byte_histogram<<<(unsigned)blocks, BYTE_THREADS>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, sizeof(unsigned int) * bin_count);
    size_t blocks = n / 4096 + 1;
    if (blocks > 396) blocks = 396;
    window_histogram<<<(unsigned)blocks, 640>>>(in, n, bins, bin_count);
}
