// cause: missing_atomic line 45
// task: bins
// The merge adds to the global bins with a plain +=: when blocks merge at the same time, counts are lost.
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

#define CHUNK 4096u

// Counts the values first .. first + CHUNK - 1; the others are left to other passes.
__global__ void pass_kernel(const unsigned int* in, size_t n, unsigned int* bins,
                            unsigned int first, unsigned int count) {
    __shared__ unsigned int s[CHUNK];
    for (unsigned int b = threadIdx.x; b < count; b += blockDim.x) s[b] = 0;
    __syncthreads();
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        unsigned int v = in[i] - first;  // huge if in[i] is below first
        if (v < count) atomicAdd(&s[v], 1u);
    }
    __syncthreads();
    for (unsigned int b = threadIdx.x; b < count; b += blockDim.x)
        bins[first + b] += s[b];
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, (size_t)bin_count * sizeof(unsigned int));
    for (size_t first = 0; first < bin_count; first += CHUNK) {
        unsigned int count = bin_count - first < CHUNK ? (unsigned int)(bin_count - first) : CHUNK;
        pass_kernel<<<48, 256>>>(in, n, bins, (unsigned int)first, count);
    }
}
