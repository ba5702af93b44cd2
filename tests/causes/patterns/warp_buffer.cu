// cause: missing_warp_sync line 33 or 31
// task: gather
// Lanes read indices from their warp's buffer that other lanes have put there, without a __syncwarp() between.
#include "interface.cuh"

namespace mesh {

constexpr int warps = 8;

struct Buffer {
    uint4 row[32];
    __device__ std::uint32_t* flat() { return reinterpret_cast<std::uint32_t*>(row); }
};

__device__ float pick(const float* value, uint4 r)
{
    return value[r.x] + value[r.y] + value[r.z] + value[r.w];
}

__global__ void gather(const float* __restrict__ value, const std::uint32_t* __restrict__ table, std::size_t n, float* __restrict__ out)
{
    __shared__ Buffer buffers[warps];
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    Buffer& mine = buffers[warp];

    // 32 cells for each warp; the table is loaded in four coalesced steps
    const std::size_t cell0 = (std::size_t(blockIdx.x) * warps + warp) * 32;
    #pragma unroll
    for (unsigned step = 0; step < 4; ++step) {
        const std::size_t at = cell0 * 4 + step * 32 + lane;
        mine.flat()[step * 32 + lane] = at < 4 * n ? table[at] : 0;
    }
    if (cell0 + lane < n)
        out[cell0 + lane] = pick(value, mine.row[lane]);
}

}  // namespace mesh

void gather_sum(const float* value, std::size_t /*m*/, const std::uint32_t* neighbour, std::size_t n, float* out)
{
    constexpr std::size_t cells = mesh::warps * 32;
    mesh::gather<<<unsigned((n + cells - 1) / cells), unsigned(cells)>>>(value, neighbour, n, out);
}
