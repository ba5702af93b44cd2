// cause: launch_refused line 35 or 44
// task: bins
// Up to 20000 bins are put into dynamic shared memory without asking for more than 48 KB; shows for more than 12288 bins.
#include "interface.cuh"
#include <cstdio>

namespace hist {

struct Params {
    const unsigned* in;
    size_t n;
    unsigned* bins;
    unsigned count;
};

__device__ size_t firstIndex() { return size_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ size_t gridThreads() { return size_t(gridDim.x) * blockDim.x; }

template <bool Private>
__global__ void kernel(Params p) {
    extern __shared__ unsigned counters[];
    if constexpr (Private) {
        for (unsigned b = threadIdx.x; b < p.count; b += blockDim.x) counters[b] = 0;
        __syncthreads();
    }
    unsigned* target = Private ? counters : p.bins;
    for (size_t i = firstIndex(); i < p.n; i += gridThreads()) atomicAdd(target + p.in[i], 1u);
    if constexpr (Private) {
        __syncthreads();
        for (unsigned b = threadIdx.x; b < p.count; b += blockDim.x)
            if (counters[b]) atomicAdd(p.bins + b, counters[b]);
    }
}

constexpr unsigned maxPrivate = 20000;

}  // namespace hist

void histogram_bins(const unsigned int* in, size_t n, unsigned int* bins, unsigned int bin_count) {
    cudaMemset(bins, 0, size_t(bin_count) * sizeof(unsigned));
    hist::Params p{in, n, bins, bin_count};
    if (bin_count <= hist::maxPrivate) {
        size_t bytes = size_t(bin_count) * sizeof(unsigned);
        hist::kernel<true><<<32, 512, bytes>>>(p);
    } else {
        hist::kernel<false><<<128, 256>>>(p);
    }
}
