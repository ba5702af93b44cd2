// cause: wrong_shuffle_mask line 22
// task: inclusive_float
// Only eight lanes come to the shuffle over the sums of the warps, but its mask names all 32.
#include "interface.cuh"

template <int Warps>
__device__ float block_scan(float v) {
    __shared__ float sums[Warps];
    const int lane = threadIdx.x & 31;
    const int warp = threadIdx.x >> 5;

    for (int d = 1; d < 32; d <<= 1) {
        const float up = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += up;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();

    if (threadIdx.x < Warps) {
        float s = sums[threadIdx.x];
        for (int d = 1; d < Warps; d <<= 1) {
            const float up = __shfl_up_sync(0xffffffffu, s, d);
            if (lane >= d) s += up;
        }
        sums[threadIdx.x] = s;
    }
    __syncthreads();

    return warp == 0 ? v : v + sums[warp - 1];
}

__global__ void scan_tiles(const float* in, std::size_t n, float* out, float* totals) {
    const std::size_t i = std::size_t(blockIdx.x) * 256 + threadIdx.x;
    const float v = block_scan<8>(i < n ? in[i] : 0.0f);
    if (i < n) out[i] = v;
    if (threadIdx.x == 255 && totals) totals[blockIdx.x] = v;
}

__global__ void add_totals(float* out, std::size_t n, const float* totals) {
    if (blockIdx.x == 0) return;
    const std::size_t i = std::size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i < n) out[i] += totals[blockIdx.x - 1];
}

// scratch: room for the totals of this level and of those above
void levels(const float* in, std::size_t n, float* out, float* scratch) {
    const std::size_t tiles = (n + 255) / 256;
    scan_tiles<<<tiles, 256>>>(in, n, out, tiles > 1 ? scratch : nullptr);
    if (tiles > 1) {
        levels(scratch, tiles, scratch + tiles, scratch + 2 * tiles);
        add_totals<<<tiles, 256>>>(out, n, scratch + tiles);
    }
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    static float* scratch = nullptr;
    static std::size_t room = 0;
    const std::size_t needed = n / 64 + 1024;
    if (needed > room) {
        if (scratch) cudaFree(scratch);
        cudaMalloc(&scratch, needed * sizeof(float));
        room = needed;
    }
    levels(in, n, out, scratch);
}

void scan_inclusive_int(const int*, std::size_t, int*) {}
void scan_exclusive_int(const int*, std::size_t, int*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}
