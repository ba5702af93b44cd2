// cause: uninitialised_shared line 33
// task: bytes
// Only as many private counters as the block has threads are cleared, 128 of 256: the counts of the values above 127 begin with garbage.
/* Assignment "histogram" */
#include "interface.cuh"

template <typename T>
static T smaller(T a, T b) { return a < b ? a : b; }

/* Two streams of our own count one half of the bytes each. */
struct Lanes {
    cudaStream_t stream[2];
    cudaEvent_t ready, done[2];
    unsigned *half;   /* two histograms */

    Lanes()
    {
        for (int k = 0; k < 2; k++) {
            cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking);
            cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming);
        }
        cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
        cudaMalloc(&half, 2 * 256 * sizeof(unsigned));
    }
};

const int BYTE_BLOCK = 128;

__global__ void countBytes(const unsigned char *in, size_t n, unsigned *hist)
{
    __shared__ unsigned local[4][256];
    for (int w = 0; w < 4; w++)
        local[w][threadIdx.x] = 0;
    __syncthreads();

    unsigned *mine = local[threadIdx.x >> 5];
    size_t i = ((size_t)blockIdx.x * BYTE_BLOCK + threadIdx.x) * 8;
    const size_t step = (size_t)gridDim.x * BYTE_BLOCK * 8;
    for (; i < n; i += step) {
        if (i + 8 <= n) {
            uint2 v = *(const uint2 *)(in + i);
            for (int s = 0; s < 32; s += 8) {
                atomicAdd(&mine[(v.x >> s) & 255u], 1u);
                atomicAdd(&mine[(v.y >> s) & 255u], 1u);
            }
        } else {
            for (size_t k = i; k < n; k++) atomicAdd(&mine[in[k]], 1u);
        }
    }
    __syncthreads();

    for (int b = threadIdx.x; b < 256; b += BYTE_BLOCK) {
        unsigned sum = local[0][b] + local[1][b] + local[2][b] + local[3][b];
        if (sum) atomicAdd(hist + b, sum);
    }
}

__global__ void addHalves(const unsigned *half, unsigned *bins)
{
    bins[threadIdx.x] = half[threadIdx.x] + half[256 + threadIdx.x];
}

void histogram_bytes(const unsigned char *in, size_t n, unsigned int *bins)
{
    static Lanes lanes;
    const size_t middle = n / 2 / 256 * 256;

    cudaMemsetAsync(lanes.half, 0, 2 * 256 * sizeof(unsigned), 0);
    cudaEventRecord(lanes.ready, 0);
    for (int k = 0; k < 2; k++) {
        const size_t begin = k == 0 ? 0 : middle, size = k == 0 ? middle : n - middle;
        const size_t blocks = smaller<size_t>(size / (BYTE_BLOCK * 64) + 1, 132 * 8);
        cudaStreamWaitEvent(lanes.stream[k], lanes.ready, 0);
        countBytes<<<(unsigned)blocks, BYTE_BLOCK, 0, lanes.stream[k]>>>(in + begin, size,
                                                                        lanes.half + 256 * k);
        cudaEventRecord(lanes.done[k], lanes.stream[k]);
    }
    cudaStreamWaitEvent(0, lanes.done[0], 0);
    cudaStreamWaitEvent(0, lanes.done[1], 0);
    addHalves<<<1, 256>>>(lanes.half, bins);
}

const int BIN_BLOCK = 512;

__global__ void clearBins(unsigned *bins, unsigned bin_count)
{
    unsigned b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b < bin_count) bins[b] = 0;
}

template <bool PRIVATE>
__global__ void countBins(const unsigned *in, size_t n, unsigned *bins, unsigned bin_count)
{
    extern __shared__ unsigned local[];
    if (PRIVATE) {
        for (unsigned b = threadIdx.x; b < bin_count; b += blockDim.x) local[b] = 0;
        __syncthreads();
    }
    unsigned *hist = PRIVATE ? local : bins;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(hist + in[i], 1u);
    if (PRIVATE) {
        __syncthreads();
        for (unsigned b = threadIdx.x; b < bin_count; b += blockDim.x)
            if (local[b]) atomicAdd(bins + b, local[b]);
    }
}

void histogram_bins(const unsigned int *in, size_t n, unsigned int *bins, unsigned int bin_count)
{
    clearBins<<<(bin_count + 255) / 256, 256>>>(bins, bin_count);
    if (bin_count <= 12288) {
        const size_t blocks = smaller<size_t>(n / (BIN_BLOCK * 8) + 1, 528);
        countBins<true><<<(unsigned)blocks, BIN_BLOCK, bin_count * sizeof(unsigned)>>>(in, n, bins,
                                                                                      bin_count);
    } else {
        const size_t blocks = smaller<size_t>(n / BIN_BLOCK + 1, 1056);
        countBins<false><<<(unsigned)blocks, BIN_BLOCK>>>(in, n, bins, bin_count);
    }
}
