// cause: tail_ignored line 19 or 21
// task: sum
// The elements are loaded as double2; when n is odd, the last one belongs to no pair and is never added.
#include "interface.cuh"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void sum_pairs(const double *__restrict__ in, size_t n, double *__restrict__ out)
{
    cg::thread_block block = cg::this_thread_block();
    __shared__ double warp_sum[8];

    const double2 *in2 = reinterpret_cast<const double2 *>(in);
    const size_t rank = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const size_t all = (size_t)gridDim.x * blockDim.x;

    double s = 0.0;
    for (size_t i = rank; i < n / 2; i += all) {
        double2 p = in2[i];
        s += p.x + p.y;
    }

    for (int k = 16; k >= 1; k >>= 1)
        s += __shfl_xor_sync(0xffffffff, s, k);
    if (threadIdx.x % 32 == 0)
        warp_sum[threadIdx.x / 32] = s;
    block.sync();

    if (block.thread_rank() == 0) {
        s = 0;
        for (int w = 0; w < 8; w++)
            s += warp_sum[w];
        atomicAdd(out, s);
    }
}

void reduce_sum(const double *in, size_t n, double *out)
{
    size_t blocks = n / (8 * 256);
    blocks = blocks < 1 ? 1 : blocks > 1024 ? 1024 : blocks;
    cudaMemset(out, 0, sizeof(*out));
    sum_pairs<<<blocks, 256>>>(in, n, out);
}
