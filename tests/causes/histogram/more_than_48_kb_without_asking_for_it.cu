// cause: launch_refused line 63
// task: bins
// the limit is what a block may have after opting in, but the kernel's attribute is never set: above 12288 bins the launch fails and all counts stay 0
#include "interface.cuh"

// Histogram with private bins. Where the device has enough shared memory the
// whole histogram goes there, up to what a block may have on this GPU.

struct DeviceLimits {
    int sharedBytes = 0;
    int processors = 0;

    DeviceLimits() {
        int device = 0;
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&sharedBytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    }
};

template <bool kPrivate>
__global__ void histogramKernel(const unsigned* __restrict__ in, size_t n, unsigned* bins,
                                unsigned binCount) {
    extern __shared__ unsigned privateBins[];
    unsigned* target = kPrivate ? privateBins : bins;

    if (kPrivate) {
        for (unsigned b = threadIdx.x; b < binCount; b += blockDim.x) privateBins[b] = 0;
        __syncthreads();
    }

    const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&target[in[i]], 1u);

    if (kPrivate) {
        __syncthreads();
        // Start the merge at another bin in each block.
        const unsigned offset = blockIdx.x * 997u % binCount;
        for (unsigned k = threadIdx.x; k < binCount; k += blockDim.x) {
            const unsigned b = k + offset < binCount ? k + offset : k + offset - binCount;
            if (privateBins[b] != 0) atomicAdd(&bins[b], privateBins[b]);
        }
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    static const DeviceLimits limits;

    const size_t histogramBytes = size_t(bin_count) * sizeof(unsigned);
    cudaMemset(bins, 0, histogramBytes);
    if (n == 0) return;

    const unsigned threads = 512;
    size_t blocks = (n + threads - 1) / threads;

    if (histogramBytes <= static_cast<size_t>(limits.sharedBytes)) {
        // at least as many elements as bins for each block, or the merge costs too much
        const size_t useful = n / bin_count + 1;
        if (blocks > useful) blocks = useful;
        if (blocks > size_t(limits.processors)) blocks = limits.processors;
        histogramKernel<true><<<static_cast<unsigned>(blocks), threads, histogramBytes>>>(
            in, n, bins, bin_count);
    } else {
        if (blocks > 8u * limits.processors) blocks = 8u * limits.processors;
        histogramKernel<false><<<static_cast<unsigned>(blocks), threads>>>(in, n, bins, bin_count);
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    // TODO
}
