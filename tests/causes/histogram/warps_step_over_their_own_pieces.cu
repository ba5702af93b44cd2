// cause: wrong_stride line 39
// task: bytes
// a warp takes 128 bytes, but the warps together step on by only 32 bytes each: bytes are counted several times when n is above 8192
#include "interface.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr unsigned block_threads = 256;
constexpr unsigned grid_blocks = 32;
constexpr unsigned per_lane = 4;  // bytes that a lane takes at a time

// One histogram per warp. They lie side by side in the shared memory of the block.
struct WarpBins {
    unsigned* bins;
    __device__ void count(unsigned value) const { atomicAdd(bins + value, 1u); }
};

template <class Group> __device__ void clear(Group g, unsigned* p, unsigned count) {
    for (unsigned k = g.thread_rank(); k < count; k += g.size()) p[k] = 0;
}

__global__ void clear_bins(unsigned* bins) { bins[threadIdx.x] = 0; }

__global__ void count_bytes(const unsigned char* in, std::size_t n, unsigned* bins) {
    constexpr unsigned warps = block_threads / 32;
    __shared__ unsigned copies[warps][256];

    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const unsigned mine = block.thread_rank() / warp.size();
    clear(block, &copies[0][0], warps * 256);
    block.sync();

    const WarpBins own{copies[mine]};
    const std::size_t piece = warp.size() * per_lane;
    const std::size_t first = (static_cast<std::size_t>(blockIdx.x) * warps + mine) * piece;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * warps * warp.size();
    for (std::size_t base = first; base < n; base += stride) {
        const std::size_t at = base + warp.thread_rank() * per_lane;
        if (at + per_lane <= n) {
            const uchar4 v = *reinterpret_cast<const uchar4*>(in + at);
            own.count(v.x);
            own.count(v.y);
            own.count(v.z);
            own.count(v.w);
        } else {
            for (std::size_t i = at; i < n; ++i) own.count(in[i]);
        }
    }
    block.sync();

    // merge: thread b adds up bin b of all warps
    unsigned sum = 0;
    for (unsigned w = 0; w < warps; ++w) sum += copies[w][threadIdx.x];
    if (sum != 0) atomicAdd(bins + threadIdx.x, sum);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    clear_bins<<<1, 256>>>(bins);
    if (n > 0) count_bytes<<<grid_blocks, block_threads>>>(in, n, bins);
}
