// expect: bytes=accepted bins=accepted
// A single block of 1024 threads does everything: right, and all but one multiprocessor is idle.
#include "interface.cuh"

template <class T>
__global__ void count(const T* in, std::size_t n, unsigned int* bins, unsigned int size) {
    for (unsigned int b = threadIdx.x; b < size; b += blockDim.x) bins[b] = 0;
    __syncthreads();  // one block: its threads see each other's writes to global memory
    for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[in[i]], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    count<<<1, 1024>>>(in, n, bins, 256u);
}
void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins, unsigned int size) {
    count<<<1, 1024>>>(in, n, bins, size);
}
