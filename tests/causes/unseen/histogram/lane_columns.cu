// cause: transposed line 16
// task: bytes
// The merge reads the private counters as if they were stored copy by copy, but they are stored value by value, so the counts land in wrong bins.
#include "interface.cuh"

// 32 copies per block, each lane on its own bank: 256 * 32 * 4 = 32 KB
struct Banked {
    unsigned int cell[256 * 32];

    __device__ void clear() {
        for (int k = threadIdx.x; k < 256 * 32; k += blockDim.x) cell[k] = 0;
    }
    __device__ void add(unsigned char v, int lane) { atomicAdd(&cell[v * 32 + lane], 1u); }
    __device__ unsigned int total(int v) const {
        unsigned int s = 0;
        for (int k = 0; k < 32; ++k) s += cell[k * 256 + v];
        return s;
    }
};

__global__ void bankedHistogram(const unsigned char* in, size_t n, unsigned int* bins) {
    __shared__ Banked priv;
    priv.clear();
    __syncthreads();

    const int lane = threadIdx.x % 32;
    for (size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x; i < n;
         i += (size_t)blockDim.x * gridDim.x)
        priv.add(in[i], lane);
    __syncthreads();

    unsigned int s = priv.total(threadIdx.x);
    if (s) atomicAdd(&bins[threadIdx.x], s);
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    bankedHistogram<<<8, 256>>>(in, n, bins);
}
