// cause: missing_warp_sync line 21 or 23
// task: exclusive_float
// a lane overwrites its cell while the neighbour to the right may still have to read it; the checkers see the race from 2 elements on.
// Scan with one row of shared memory per warp (no shuffles).
#include "interface.cuh"

#include <cstdint>

namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kWarps = kThreads / 32;

// inclusive scan over the 32 lanes of this warp; cells points at the warp's own row
template <typename T>
__device__ T scan_row(T* cells, T x) {
    const unsigned lane = threadIdx.x & 31u;
    cells[lane] = x;
    __syncwarp();
    for (unsigned d = 1; d < 32; d <<= 1) {
        const T left = lane >= d ? cells[lane - d] : T(0);
        x += left;
        cells[lane] = x;
        __syncwarp();
    }
    return x;
}

template <typename T>
__global__ void exclusive_tiles(const T* in, std::size_t n, T* out, T* totals) {
    __shared__ T rows[kWarps][32];
    __shared__ T warp_total[kWarps];
    const unsigned lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
    const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;

    const T mine = i < n ? in[i] : T(0);
    const T incl = scan_row(rows[warp], mine);
    const T excl = lane ? rows[warp][lane - 1] : T(0);
    if (lane == 31) warp_total[warp] = incl;
    __syncthreads();

    T before = T(0);
    for (unsigned w = 0; w < warp; ++w) before += warp_total[w];
    if (i < n) out[i] = before + excl;
    if (threadIdx.x == kThreads - 1) totals[blockIdx.x] = before + incl;
}

template <typename T>
__global__ void add_before(T* out, std::size_t n, const T* offsets) {
    const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
    if (i < n) out[i] = offsets[blockIdx.x] + out[i];
}

template <typename T>
void exclusive(const T* in, std::size_t n, T* out) {
    const std::size_t tiles = (n + kThreads - 1) / kThreads;
    T* totals = nullptr;
    cudaMalloc(&totals, 2 * tiles * sizeof(T));
    T* offsets = totals + tiles;
    exclusive_tiles<<<static_cast<unsigned>(tiles), kThreads>>>(in, n, out, totals);
    if (tiles > 1) {
        exclusive(totals, tiles, offsets);
        add_before<<<static_cast<unsigned>(tiles), kThreads>>>(out, n, offsets);
    }
    cudaFree(totals);
}

}  // namespace

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    exclusive<float>(in, n, out);
}
