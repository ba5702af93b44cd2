// cause: transposed line 35
// task: bytes
// Counting uses the layout counter-major, and the merge reads copy-major; shows for nearly all data.
#include "interface.cuh"

#define COPIES 8
#define NBINS  256
#define AT(copy, value) ((value) * COPIES + (copy))

__global__ void hist_interleaved(const unsigned char* __restrict__ src, size_t len, unsigned int* __restrict__ out)
{
    __shared__ unsigned int sh[COPIES * NBINS];
    unsigned int lane_copy = threadIdx.x % COPIES;

    for (int j = threadIdx.x; j < COPIES * NBINS; j += blockDim.x) sh[j] = 0u;
    __syncthreads();

    const uchar4* src4 = reinterpret_cast<const uchar4*>(src);
    size_t len4 = len >> 2;
    size_t id = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t j = id; j < len4; j += (size_t)gridDim.x * blockDim.x) {
        uchar4 c = src4[j];
        atomicAdd(&sh[AT(lane_copy, c.x)], 1u);
        atomicAdd(&sh[AT(lane_copy, c.y)], 1u);
        atomicAdd(&sh[AT(lane_copy, c.z)], 1u);
        atomicAdd(&sh[AT(lane_copy, c.w)], 1u);
    }
    if (blockIdx.x == 0 && threadIdx.x < (len & 3))
        atomicAdd(&sh[AT(lane_copy, src[(len4 << 2) + threadIdx.x])], 1u);
    __syncthreads();

    for (int v = threadIdx.x; v < NBINS; v += blockDim.x) {
        unsigned int total = 0u;
        for (int c = 0; c < COPIES; ++c)
            total += sh[c * NBINS + v];
        if (total) atomicAdd(&out[v], total);
    }
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins)
{
    cudaMemset(bins, 0, NBINS * sizeof(unsigned int));
    if (!n) return;
    unsigned int grid = n > (1u << 18) ? 66 : 4;
    hist_interleaved<<<grid, 192>>>(in, n, bins);
}
