// cause: signed_byte line 15
// task: bytes
// The vector is loaded as char4, whose components are signed: bytes from 128 on become negative indices of the private counters.
#include "interface.cuh"

const int BLOCK = 256;

__global__ void histogram4(const unsigned char* in, size_t n, unsigned int* bins)
{
    __shared__ unsigned int local[256];
    local[threadIdx.x] = 0;
    __syncthreads();

    // four bytes with one load
    const char4* in4 = (const char4*)in;
    size_t quads = n / 4;
    size_t id = blockIdx.x * (size_t)BLOCK + threadIdx.x;
    size_t step = gridDim.x * (size_t)BLOCK;

    for (size_t i = id; i < quads; i += step) {
        auto q = in4[i];
        atomicAdd(&local[q.x], 1u);
        atomicAdd(&local[q.y], 1u);
        atomicAdd(&local[q.z], 1u);
        atomicAdd(&local[q.w], 1u);
    }
    // the last bytes
    if (id < n % 4)
        atomicAdd(&local[in[quads * 4 + id]], 1u);
    __syncthreads();

    if (local[threadIdx.x] != 0)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins)
{
    cudaMemset(bins, 0, 256 * sizeof(unsigned int));
    int blocks = (int)((n / 16 + BLOCK - 1) / BLOCK);
    if (blocks < 1) blocks = 1;
    if (blocks > 1024) blocks = 1024;
    histogram4<<<blocks, BLOCK>>>(in, n, bins);
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    // TODO
}
