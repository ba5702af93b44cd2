// cause: state_kept_between_calls line 105
// task: inclusive_int
// The words in which tiles announce their sums are cleared only when the buffer grows: a later call of the same or a smaller size takes the sums of an earlier one.
#include "interface.cuh"

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kItems = 4;
constexpr unsigned kTile = kThreads * kItems;

/// What a tile has announced, in one word, so that the kind and the sum are seen together.
struct State {
    using Word = unsigned long long;
    enum Kind : unsigned { nothing = 0, own_sum = 1, sum_so_far = 2 };

    unsigned kind;
    unsigned sum;

    static __device__ void announce(Word* place, Kind kind, unsigned sum) {
        atomicExch(place, static_cast<Word>(kind) << 32 | sum);
    }
    static __device__ State wait_for(Word* place) {
        Word seen;
        do {
            seen = atomicAdd(place, 0ull);
        } while (seen >> 32 == nothing);
        return {static_cast<unsigned>(seen >> 32), static_cast<unsigned>(seen)};
    }
};

/// Sum of all tiles before this one. Its predecessors have been given out before, so they run.
__device__ unsigned look_back(State::Word* states, unsigned tile) {
    unsigned before = 0;
    while (tile > 0) {
        const State s = State::wait_for(states + --tile);
        before += s.sum;
        if (s.kind == State::sum_so_far) break;
    }
    return before;
}

__device__ unsigned warp_inclusive(unsigned v) {
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        const unsigned left = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += left;
    }
    return v;
}

__global__ void one_pass_scan(const int* in, std::size_t n, int* out, unsigned tiles,
                              State::Word* states, unsigned* ticket) {
    __shared__ unsigned warp_sum[kThreads / 32];
    __shared__ unsigned my_tile, before_tile;

    // tiles are given out in the order in which blocks start
    if (threadIdx.x == 0) {
        my_tile = atomicAdd(ticket, 1u);
        if (my_tile == tiles - 1) *ticket = 0;  // nobody else will ask: ready for the next call
    }
    __syncthreads();
    const unsigned tile = my_tile;
    const std::size_t first = static_cast<std::size_t>(tile) * kTile + threadIdx.x * kItems;

    unsigned v[kItems], mine = 0;
    for (unsigned k = 0; k < kItems; ++k) {
        if (first + k < n) mine += static_cast<unsigned>(in[first + k]);
        v[k] = mine;
    }

    const unsigned upto = warp_inclusive(mine);
    if (threadIdx.x % 32 == 31) warp_sum[threadIdx.x / 32] = upto;
    __syncthreads();
    unsigned before = upto - mine;
    for (unsigned w = 0; w < threadIdx.x / 32; ++w) before += warp_sum[w];

    if (threadIdx.x == kThreads - 1) {
        const unsigned sum = before + mine;
        if (tile > 0) State::announce(states + tile, State::own_sum, sum);
        before_tile = look_back(states, tile);
        State::announce(states + tile, State::sum_so_far, before_tile + sum);
    }
    __syncthreads();
    before += before_tile;
    for (unsigned k = 0; k < kItems; ++k) {
        if (first + k < n) out[first + k] = static_cast<int>(before + v[k]);
    }
}

/// Memory that stays from call to call: allocating it takes longer than the scan.
struct Workspace {
    State::Word* states = nullptr;
    unsigned* ticket = nullptr;
    unsigned capacity = 0;

    void prepare(unsigned tiles) {
        if (tiles > capacity) {
            cudaFree(states);
            cudaFree(ticket);
            cudaMalloc(&states, tiles * sizeof *states);
            cudaMalloc(&ticket, sizeof *ticket);
            cudaMemset(ticket, 0, sizeof *ticket);
            cudaMemset(states, 0, tiles * sizeof *states);
            capacity = tiles;
        }
    }
};

}  // namespace

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    static Workspace work;
    const unsigned tiles = static_cast<unsigned>((n + kTile - 1) / kTile);
    work.prepare(tiles);
    one_pass_scan<<<tiles, kThreads>>>(in, n, out, tiles, work.states, work.ticket);
}

void scan_exclusive_int(const int*, std::size_t, int*) {
    // TODO
}

void scan_inclusive_float(const float*, std::size_t, float*) {
    // TODO
}

void scan_exclusive_float(const float*, std::size_t, float*) {
    // TODO
}
