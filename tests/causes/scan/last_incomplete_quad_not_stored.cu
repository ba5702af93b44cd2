// cause: tail_ignored line 127
// task: inclusive_int
// Only whole groups of four are stored, so the last one to three outputs are not written unless n is a multiple of four.
#include "interface.cuh"

// One pass. A tile tells the others its own sum at first, and later the sum of all up to its end. A
// word holds both the state and the sum, so that nobody sees one without the other.
typedef unsigned long long Word;
enum : unsigned { UNKNOWN = 0, OWN = 1, PREFIX = 2 };

__device__ unsigned bitsOf(int v) { return (unsigned)v; }
__device__ unsigned bitsOf(float v) { return __float_as_uint(v); }
__device__ void fromBits(unsigned b, int& v) { v = (int)b; }
__device__ void fromBits(unsigned b, float& v) { v = __uint_as_float(b); }

template <typename T>
__device__ void announce(Word* cell, unsigned state, T sum) {
    atomicExch(cell, (Word)state << 32 | bitsOf(sum));
}

template <typename T>
__device__ T lookBack(Word* cells, long long tile) {
    T sum = 0;
    while (--tile >= 0) {
        Word w;
        do w = atomicAdd(&cells[tile], (Word)0);
        while (w >> 32 == UNKNOWN);
        T v;
        fromBits((unsigned)w, v);
        sum = v + sum;
        if (w >> 32 == PREFIX) break;
    }
    return sum;
}

const int PASS_THREADS = 256;
const int PASS_EACH = 8;
const int PASS_TILE = PASS_THREADS * PASS_EACH;

// cells[0] is the counter that gives out the tiles, the rest belongs to the tiles.
template <typename T, bool inclusive>
__global__ void onePass(const T* in, size_t n, T* out, Word* cells) {
    __shared__ T stage[PASS_TILE];
    __shared__ T warpSum[PASS_THREADS / 32];
    __shared__ T front;
    __shared__ unsigned ticket;
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;

    if (t == 0) ticket = (unsigned)atomicAdd(&cells[0], (Word)1);
    __syncthreads();
    const size_t base = (size_t)ticket * PASS_TILE;
    for (int k = t; k < PASS_TILE; k += PASS_THREADS) stage[k] = base + k < n ? in[base + k] : T(0);
    __syncthreads();

    T own[PASS_EACH], sum = 0;
    for (int k = 0; k < PASS_EACH; ++k) sum += own[k] = stage[t * PASS_EACH + k];
    T upTo = sum;
    for (int d = 1; d < 32; d *= 2) {
        T u = __shfl_up_sync(~0u, upTo, d);
        if (lane >= d) upTo += u;
    }
    T left = __shfl_up_sync(~0u, upTo, 1);
    if (lane == 0) left = 0;
    if (lane == 31) warpSum[warp] = upTo;
    __syncthreads();
    if (t == 0) {
        T all = 0;
        for (int w = 0; w < PASS_THREADS / 32; ++w) {
            T s = warpSum[w];
            warpSum[w] = all;
            all += s;
        }
        Word* tiles = cells + 1;
        if (ticket > 0) announce(&tiles[ticket], OWN, all);
        front = lookBack<T>(tiles, ticket);
        announce(&tiles[ticket], PREFIX, front + all);
    }
    __syncthreads();
    T run = front + (warpSum[warp] + left);
    for (int k = 0; k < PASS_EACH; ++k) {
        T with = run + own[k];
        stage[t * PASS_EACH + k] = inclusive ? with : run;
        run = with;
    }
    __syncthreads();
    for (int k = t; k < PASS_TILE; k += PASS_THREADS)
        if (base + k < n) out[base + k] = stage[k];
}

template <typename T, bool inclusive>
void passOver(const T* in, size_t n, T* out) {
    static Word* cells = nullptr;
    static size_t room = 0;
    const size_t tiles = (n + PASS_TILE - 1) / PASS_TILE;
    if (tiles + 1 > room) {
        if (cells) cudaFree(cells);
        room = tiles + 1;
        cudaMalloc(&cells, room * sizeof(Word));
    }
    cudaMemsetAsync(cells, 0, (tiles + 1) * sizeof(Word));
    onePass<T, inclusive><<<(unsigned)tiles, PASS_THREADS>>>(in, n, out, cells);
}

void scan_exclusive_int(const int* in, size_t n, int* out) { passOver<int, false>(in, n, out); }
void scan_inclusive_float(const float* in, size_t n, float* out) {
    passOver<float, true>(in, n, out);
}
void scan_exclusive_float(const float* in, size_t n, float* out) {
    passOver<float, false>(in, n, out);
}

// ---- inclusive ints, sixteen bytes at a time ----

const int QT = 256;
const int QTILE = 4 * QT;

__device__ int4 loadQuad(const int* in, size_t i, size_t n) {
    if (i + 4 <= n) return *reinterpret_cast<const int4*>(in + i);
    int4 q = make_int4(0, 0, 0, 0);
    if (i < n) q.x = in[i];
    if (i + 1 < n) q.y = in[i + 1];
    if (i + 2 < n) q.z = in[i + 2];
    return q;
}

__device__ void storeQuad(int* out, size_t i, size_t n, int4 q) {
    if (i + 4 <= n) *reinterpret_cast<int4*>(out + i) = q;
}

// The scan of the block's values; the last thread has the sum of all.
__device__ int blockInclusive(int v) {
    __shared__ int ofWarp[QT / 32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int d = 1; d < 32; d *= 2) {
        const int u = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += u;
    }
    if (lane == 31) ofWarp[warp] = v;
    __syncthreads();
    for (int w = 0; w < warp; ++w) v += ofWarp[w];
    __syncthreads();
    return v;
}

__global__ void sumTiles(const int* in, size_t n, int* sums) {
    const int4 q = loadQuad(in, ((size_t)blockIdx.x * QT + threadIdx.x) * 4, n);
    const int v = blockInclusive(q.x + q.y + q.z + q.w);
    if (threadIdx.x == QT - 1) sums[blockIdx.x] = v;
}

__global__ void scanTiles(const int* in, size_t n, const int* before, int* out) {
    const size_t i = ((size_t)blockIdx.x * QT + threadIdx.x) * 4;
    int4 q = loadQuad(in, i, n);
    q.y += q.x;
    q.z += q.y;
    q.w += q.z;
    const int left = before[blockIdx.x] + blockInclusive(q.w) - q.w;
    storeQuad(out, i, n, make_int4(left + q.x, left + q.y, left + q.z, left + q.w));
}

void scan_inclusive_int(const int* in, size_t n, int* out) {
    static int* sums = nullptr;
    static size_t room = 0;
    const size_t tiles = (n + QTILE - 1) / QTILE;
    if (tiles > room) {
        cudaFree(sums);
        cudaMalloc(&sums, 2 * tiles * sizeof(int));
        room = tiles;
    }
    int* before = sums + room;
    sumTiles<<<(unsigned)tiles, QT>>>(in, n, sums);
    passOver<int, false>(sums, tiles, before);
    scanTiles<<<(unsigned)tiles, QT>>>(in, n, before, out);
}
