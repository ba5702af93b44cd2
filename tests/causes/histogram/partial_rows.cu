// cause: blocks_not_combined line 22
// task: bytes
// The second kernel copies the row of block 0 in place of the sum of all rows; shows when more than one block has counted something.
#include "interface.cuh"

static constexpr int ROWS = 32;

__global__ void countRow(const unsigned char* in, size_t n, unsigned int* partial)
{
    __shared__ unsigned int row[256];
    row[threadIdx.x] = 0;
    __syncthreads();
    for (size_t i = blockIdx.x * 256ull + threadIdx.x; i < n; i += ROWS * 256ull)
        atomicAdd_block(&row[in[i]], 1u);
    __syncthreads();
    partial[blockIdx.x * 256 + threadIdx.x] = row[threadIdx.x];
}

__global__ void sumRows(const unsigned int* partial, unsigned int* bins)
{
    unsigned int v = threadIdx.x;
    bins[v] = partial[v];
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins)
{
    static unsigned int* partial = nullptr;
    if (!partial)
        cudaMalloc(&partial, ROWS * 256 * sizeof(unsigned int));
    countRow<<<ROWS, 256>>>(in, n, partial);
    sumRows<<<1, 256>>>(partial, bins);
}
