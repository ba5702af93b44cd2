// cause: unsigned_index line 20
// task: bytes
// n - 16 is unsigned and becomes huge for n below 16, so that small inputs are read far beyond their end.
#include "interface.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void k_hist(const unsigned char* in, size_t n, unsigned int* bins)
{
    extern __shared__ unsigned int sh[];
    cg::thread_block block = cg::this_thread_block();
    const unsigned int rank = block.thread_rank(), size = block.size();

    for (unsigned int v = rank; v < 256; v += size) sh[v] = 0;
    block.sync();

    const size_t gid = size_t(blockIdx.x) * size + rank;
    const size_t all = size_t(gridDim.x) * size;

    for (size_t at = gid * 16; at <= n - 16; at += all * 16) {
        uint4 q = *reinterpret_cast<const uint4*>(in + at);
        unsigned int w[4] = {q.x, q.y, q.z, q.w};
        #pragma unroll
        for (int k = 0; k < 16; ++k)
            atomicAdd(&sh[w[k / 4] >> (k % 4 * 8) & 255u], 1u);
    }
    for (size_t at = n - n % 16 + gid; at < n; at += all)
        atomicAdd(&sh[in[at]], 1u);

    block.sync();
    for (unsigned int v = rank; v < 256; v += size)
        if (sh[v] != 0) atomicAdd(&bins[v], sh[v]);
}

void histogram_bytes(const unsigned char* in, size_t n, unsigned int* bins)
{
    cudaMemsetAsync(bins, 0, 1024);
    k_hist<<<60, 128, 1024>>>(in, n, bins);
}
