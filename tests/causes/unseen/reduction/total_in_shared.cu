// cause: missing_barrier line 18 or 28
// task: cubes
// Warps may add to the total of the block before its first thread has set it to zero; shows in every call as a race, and as a wrong sum where the first warp is late.
#include "interface.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

typedef unsigned long long word;

__global__ void cubes(const int* __restrict__ data, size_t n, word* result)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);

    __shared__ word total;
    if (block.thread_rank() == 0) total = 0;

    word mine = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)blockDim.x * gridDim.x) {
        const long long x = data[i];
        mine += (word)(x * x) * (word)x;
    }

    for (int d = warp.size() / 2; d > 0; d /= 2) mine += warp.shfl_down(mine, d);
    if (warp.thread_rank() == 0) atomicAdd(&total, mine);

    block.sync();
    if (block.thread_rank() == 0) atomicAdd(result, total);
}

void reduce_cubes(const int* in, size_t n, long long* out)
{
    const size_t per_block = 8 * 256;
    const unsigned blocks = n < 1000 * per_block ? (unsigned)(n / per_block + 1) : 1000u;
    cudaMemsetAsync(out, 0, sizeof *out);
    cubes<<<blocks, 256>>>(in, n, reinterpret_cast<word*>(out));
}
