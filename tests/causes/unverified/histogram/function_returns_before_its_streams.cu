// cause: stream_not_waited_for line 37
// task: bins
// The two halves run in non-blocking streams that nobody waits for: the default stream, in which the caller goes on, may read the bins too early.
#include "interface.cuh"

__global__ void count_bytes(const unsigned char* in, size_t n, unsigned int* bins) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    if (n == 0) return;
    count_bytes<<<(unsigned int)((n + 255) / 256), 256>>>(in, n, bins);
}

__global__ void count_part(const unsigned int* in, size_t n, unsigned int* bins) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&bins[in[i]], 1u);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, (size_t)bin_count * sizeof(unsigned int));
    cudaDeviceSynchronize();  // the bins must be zero before a stream starts

    // two halves at the same time
    cudaStream_t stream[2];
    size_t half = n / 2;
    for (int k = 0; k < 2; k++) {
        cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking);
        const unsigned int* part = in + k * half;
        size_t size = k == 0 ? half : n - half;
        count_part<<<64, 256, 0, stream[k]>>>(part, size, bins);
    }
    for (int k = 0; k < 2; k++) {
        cudaStreamDestroy(stream[k]);
    }
}
