// cause: unsigned_index line 21
// task: cubes
// n is a size_t, so that n - 3 is huge when n is 0, 1 or 2: the loop reads far beyond the end.
#include "interface.cuh"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

using ll = long long;
using ull = unsigned long long;

__device__ __forceinline__ ll cube(int x) { return ll(x) * x * x; }

__global__ __launch_bounds__(256) void cubesKernel(const int* in, std::size_t n, ull* out)
{
    __shared__ ll warpTotals[8];
    const std::size_t id = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const std::size_t all = std::size_t(gridDim.x) * blockDim.x;
    ll sum = 0;

    // four at a time, as long as there are four
    for (std::size_t i = 4 * id; i < n - 3; i += 4 * all) {
        const int4 v = *reinterpret_cast<const int4*>(in + i);
        sum += cube(v.x) + cube(v.y) + cube(v.z) + cube(v.w);
    }
    // the others
    const std::size_t rest = n - n % 4;
    if (id < n % 4) sum += cube(in[rest + id]);

    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    for (int d = warp.size() / 2; d > 0; d /= 2) sum += warp.shfl_down(sum, d);
    if (warp.thread_rank() == 0) warpTotals[threadIdx.x / 32] = sum;
    __syncthreads();

    if (threadIdx.x == 0) {
        ll total = 0;
        for (int w = 0; w < 8; ++w) total += warpTotals[w];
        atomicAdd(out, static_cast<ull>(total));
    }
}

void reduce_cubes(const int* in, std::size_t n, long long* out)
{
    cudaMemsetAsync(out, 0, sizeof *out);
    const std::size_t wanted = n / 1024 + 1;
    const unsigned blocks = wanted > 1024 ? 1024u : unsigned(wanted);
    cubesKernel<<<blocks, 256>>>(in, n, reinterpret_cast<ull*>(out));
}
