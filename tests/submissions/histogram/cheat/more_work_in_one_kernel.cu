// expect: bytes=accepted
// at-most: bytes.performance=0
// As more_work_at_the_small_size, inside of the one kernel: the counts of no kernel are of one size only.
#include "interface.cuh"

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins, int more) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= n) return;
    atomicAdd(bins + in[i], 1u);
    for (int k = 0; k < more; ++k) atomicAdd(bins + in[i], 0u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n > 0)
        count<<<static_cast<unsigned int>((n + 127) / 128), 128>>>(in, n, bins, n < 400000 ? 4 : 0);
}
