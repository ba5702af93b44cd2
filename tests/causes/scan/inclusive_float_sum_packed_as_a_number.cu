// cause: converted_not_reinterpreted line 19
// task: inclusive_float
// The float is converted to unsigned when it is packed beside its flag, but its bits are taken out again: wrong from the second tile on.

#include "interface.cuh"

// Single pass with decoupled look-back. What a tile announces is one 64-bit word, the flag in the
// upper half and the sum in the lower, so that flag and sum are always seen together.

typedef unsigned long long Word;

enum Flag : unsigned { NOTHING = 0, OWN_SUM = 1, PREFIX = 2 };

static const int THREADS = 256;
static const int PER_THREAD = 4;
static const int TILE_SIZE = THREADS * PER_THREAD;

__device__ Word pack(Flag flag, float sum) {
    return (Word)flag << 32 | (unsigned)sum;
}

__device__ Flag flag_of(Word w) { return (Flag)(unsigned)(w >> 32); }
__device__ float sum_of(Word w) { return __uint_as_float((unsigned)w); }

// state[0] is the counter that gives out the tiles, the words of the tiles follow
__global__ void scan_look_back(const float* in, size_t n, Word* state, float* out) {
    __shared__ unsigned tile_id;
    __shared__ float partial[2][THREADS];
    __shared__ float before_tile;

    const int t = threadIdx.x;
    if (t == 0) tile_id = (unsigned)atomicAdd(&state[0], 1ull);
    __syncthreads();
    const unsigned tile = tile_id;
    Word* word = state + 1;

    // each thread scans its own four
    const size_t first = (size_t)tile * TILE_SIZE + (size_t)t * PER_THREAD;
    float x[PER_THREAD];
    for (int q = 0; q < PER_THREAD; q++) {
        x[q] = first + q < n ? in[first + q] : 0.0f;
        if (q > 0) x[q] += x[q - 1];
    }

    // then the block scans the threads' sums (two buffers, one barrier per step)
    int cur = 0;
    partial[cur][t] = x[PER_THREAD - 1];
    __syncthreads();
    for (int d = 1; d < THREADS; d <<= 1) {
        float v = partial[cur][t];
        if (t >= d) v += partial[cur][t - d];
        cur ^= 1;
        partial[cur][t] = v;
        __syncthreads();
    }

    if (t == 0) {
        const float own = partial[cur][THREADS - 1];
        float before = 0.0f;
        if (tile > 0) {
            atomicExch(&word[tile], pack(OWN_SUM, own));
            // walk back until somebody knows everything that came before
            for (unsigned p = tile - 1;;) {
                const Word w = atomicAdd(&word[p], 0ull);
                if (flag_of(w) == NOTHING) continue;
                before = sum_of(w) + before;
                if (flag_of(w) == PREFIX) break;
                p--;
            }
        }
        atomicExch(&word[tile], pack(PREFIX, before + own));
        before_tile = before;
    }
    __syncthreads();

    const float base = before_tile + (t > 0 ? partial[cur][t - 1] : 0.0f);
    for (int q = 0; q < PER_THREAD; q++)
        if (first + q < n) out[first + q] = base + x[q];
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    static Word* state = nullptr;
    static size_t room = 0;

    const size_t tiles = (n + TILE_SIZE - 1) / TILE_SIZE;
    if (tiles + 1 > room) {
        cudaFree(state);
        room = tiles + 1;
        cudaMalloc(&state, room * sizeof(Word));
    }
    cudaMemset(state, 0, (tiles + 1) * sizeof(Word));
    scan_look_back<<<(unsigned)tiles, THREADS>>>(in, n, state, out);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
