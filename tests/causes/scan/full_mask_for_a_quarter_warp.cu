// cause: wrong_shuffle_mask line 34
// task: inclusive_float
// Only the first eight lanes scan the sums of the eight warps, but the mask names all 32 lanes: the other 24 never come to this shuffle.
#include "interface.cuh"

using std::size_t;

static constexpr unsigned ALL = 0xffffffffu;
static constexpr int NT = 256;
static constexpr int NW = NT / 32;

struct Tile {
    float sum;     // of this tile
    float before;  // of all tiles before it
};

__global__ void scan_in_tiles(const float* __restrict__ in, size_t n, float* __restrict__ out, Tile* tiles) {
    __shared__ float warp_total[NW];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const size_t i = blockIdx.x * size_t(NT) + threadIdx.x;

    float v = i < n ? in[i] : 0.0f;
    for (int delta = 1; delta <= 16; delta *= 2) {
        float u = __shfl_up_sync(ALL, v, delta);
        if (lane >= delta) v += u;
    }
    if (lane == 31) warp_total[warp] = v;
    __syncthreads();

    if (threadIdx.x < NW) {
        float w = warp_total[threadIdx.x];
        for (int delta = 1; delta < NW; delta *= 2) {
            float u = __shfl_up_sync(ALL, w, delta);
            if (lane >= delta) w += u;
        }
        warp_total[threadIdx.x] = w;
    }
    __syncthreads();

    if (warp > 0) v += warp_total[warp - 1];
    if (i < n) out[i] = v;
    if (threadIdx.x == NT - 1) tiles[blockIdx.x].sum = v;
}

// A single warp goes over the sums of the tiles, 32 at a time.
__global__ void scan_tiles(Tile* tiles, size_t count) {
    float carry = 0.0f;
    for (size_t first = 0; first < count; first += 32) {
        size_t k = first + threadIdx.x;
        float v = k < count ? tiles[k].sum : 0.0f;
        for (int delta = 1; delta <= 16; delta *= 2) {
            float u = __shfl_up_sync(ALL, v, delta);
            if (threadIdx.x >= delta) v += u;
        }
        float left = __shfl_up_sync(ALL, v, 1);
        if (k < count) tiles[k].before = threadIdx.x == 0 ? carry : carry + left;
        carry += __shfl_sync(ALL, v, 31);
    }
}

__global__ void add_before(float* out, size_t n, const Tile* tiles) {
    const size_t i = blockIdx.x * size_t(NT) + threadIdx.x;
    if (i < n) out[i] += tiles[blockIdx.x].before;
}

void scan_inclusive_float(const float* in, size_t n, float* out) {
    static Tile* tiles = nullptr;
    static size_t capacity = 0;
    const size_t count = (n + NT - 1) / NT;
    if (capacity < count) {
        cudaFree(tiles);
        cudaMalloc(&tiles, count * sizeof(Tile));
        capacity = count;
    }
    scan_in_tiles<<<unsigned(count), NT>>>(in, n, out, tiles);
    scan_tiles<<<1, 32>>>(tiles, count);
    add_before<<<unsigned(count), NT>>>(out, n, tiles);
}
