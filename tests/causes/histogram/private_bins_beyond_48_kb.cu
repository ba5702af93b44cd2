// cause: launch_refused line 52
// task: bins
// Nothing asks whether the bins fit in shared memory: above 12288 bins (and n not below bin_count) the launch is refused and all counters stay 0.
#include "interface.cuh"

__global__ void hist_uchar4(const unsigned char* in, size_t n, unsigned int* bins) {
    __shared__ unsigned int part[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) part[b] = 0;
    __syncthreads();
    size_t gid = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t all = (size_t)gridDim.x * blockDim.x;
    const uchar4* in4 = reinterpret_cast<const uchar4*>(in);
    for (size_t i = gid; i < n / 4; i += all) {
        uchar4 v = in4[i];
        atomicAdd(&part[v.x], 1u);
        atomicAdd(&part[v.y], 1u);
        atomicAdd(&part[v.z], 1u);
        atomicAdd(&part[v.w], 1u);
    }
    if (gid < n % 4) atomicAdd(&part[in[n / 4 * 4 + gid]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], part[b]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 1024);
    hist_uchar4<<<80, 128>>>(in, n, bins);
}

__global__ void countShared(const unsigned int* in, size_t n, unsigned int* bins, unsigned int m) {
    extern __shared__ unsigned int mine[];
    for (unsigned int k = threadIdx.x; k < m; k += blockDim.x) mine[k] = 0;
    __syncthreads();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i]], 1u);
    __syncthreads();
    for (unsigned int k = threadIdx.x; k < m; k += blockDim.x)
        if (mine[k]) atomicAdd(&bins[k], mine[k]);
}

__global__ void countGlobal(const unsigned int* in, size_t n, unsigned int* bins) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[in[i]], 1u);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, sizeof(unsigned int) * bin_count);
    if (n == 0) return;
    // with fewer elements than bins it does not pay
    if (n >= bin_count)
        countShared<<<32, 1024, sizeof(unsigned int) * bin_count>>>(in, n, bins, bin_count);
    else
        countGlobal<<<(unsigned int)((n + 127) / 128), 128>>>(in, n, bins);
}
