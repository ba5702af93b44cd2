// expect: bytes=out_of_bounds
// expect-gpu: bytes=out_of_bounds|wrong_answer|nondeterministic
// report: out_of_bounds 14
// A signed byte as the index of the private bins. The conversion to unsigned does not help: it
// comes after the sign extension, so -1 becomes 4294967295.
#include "interface.cuh"

__global__ void count(const char* in, std::size_t n, unsigned int* bins) {
    extern __shared__ unsigned int mine[];
    mine[threadIdx.x] = 0;
    __syncthreads();
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&mine[static_cast<unsigned int>(in[i])], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    count<<<30, 256, 1024>>>(reinterpret_cast<const char*>(in), n, bins);
}
