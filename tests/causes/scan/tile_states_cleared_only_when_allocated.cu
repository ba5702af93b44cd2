// cause: state_kept_between_calls line 31
// task: exclusive_int
// the tiles' states and the counter are cleared when they are allocated and not in each call, so a later call starts with what the call before left there
#include "interface.cuh"

// Exclusive scan in one pass. Blocks draw their tile from a counter, and each
// waits until the tile before has announced the sum of everything so far.

namespace {

typedef unsigned int u32;
typedef unsigned long long u64;

const int THREADS = 256;
const int PER_THREAD = 8;
const int TILE = THREADS * PER_THREAD;

// A state is one word: bit 32 says that the low half is valid. So no fence is
// necessary: flag and sum cannot be seen one without the other.
const u64 READY = u64(1) << 32;

struct Workspace {
    u64* states = nullptr;   // [0] is the counter, then one for each tile
    std::size_t capacity = 0;

    u64* get(std::size_t tiles) {
        const std::size_t words = tiles + 1;
        if (words > capacity) {
            cudaFree(states);
            cudaMalloc(&states, words * sizeof(u64));
            cudaMemset(states, 0, words * sizeof(u64));
            capacity = words;
        }
        return states;
    }
};

__device__ u32 warp_inclusive(u32 x) {
    const int lane = threadIdx.x & 31;
    for (int d = 1; d < 32; d *= 2) {
        const u32 y = __shfl_up_sync(~0u, x, d);
        if (lane >= d) x += y;
    }
    return x;
}

__global__ void one_pass(const u32* in, std::size_t n, u32* out, u64* states) {
    __shared__ u32 warps[THREADS / 32];
    __shared__ u32 tile_drawn, sum_before;

    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    if (t == 0) tile_drawn = u32(atomicAdd(&states[0], 1ull));
    __syncthreads();
    const u32 tile = tile_drawn;
    u64* mine = states + 1 + tile;

    // eight neighbouring elements per thread, added up on the way
    const std::size_t first = std::size_t(tile) * TILE + std::size_t(t) * PER_THREAD;
    u32 x[PER_THREAD], sum = 0;
    for (int k = 0; k < PER_THREAD; ++k) {
        x[k] = first + k < n ? in[first + k] : 0;
        sum += x[k];
    }

    const u32 inclusive = warp_inclusive(sum);
    if (lane == 31) warps[warp] = inclusive;
    __syncthreads();
    u32 before = inclusive - sum, total = 0;
    for (int w = 0; w < THREADS / 32; ++w) {
        if (w < warp) before += warps[w];
        total += warps[w];
    }

    if (t == 0) {
        u64 previous = READY;                       // nothing before tile 0
        if (tile > 0)
            while (((previous = atomicAdd(mine - 1, 0ull)) & READY) == 0) {}
        sum_before = u32(previous);
        atomicExch(mine, READY | u32(sum_before + total));
    }
    __syncthreads();

    before += sum_before;
    for (int k = 0; k < PER_THREAD; ++k) {
        if (first + k < n) out[first + k] = before;
        before += x[k];
    }
}

}  // namespace

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static Workspace workspace;
    const std::size_t tiles = (n + TILE - 1) / TILE;
    u64* states = workspace.get(tiles);
    // unsigned, because its overflow is defined: modulo 2^32
    one_pass<<<unsigned(tiles), THREADS>>>(reinterpret_cast<const u32*>(in), n,
                                           reinterpret_cast<u32*>(out), states);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO: write kernels and launch them here.
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
