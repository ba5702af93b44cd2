// cause: missing_barrier line 139
// task: inclusive_float
// A warp that is ahead stores its total of the next tile while others still add up those of this one; shows when a block has more than one tile, from 257 elements on.
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

void scan_inclusive_int(const int* in, size_t n, int* out) { passOver<int, true>(in, n, out); }
void scan_exclusive_int(const int* in, size_t n, int* out) { passOver<int, false>(in, n, out); }
void scan_exclusive_float(const float* in, size_t n, float* out) {
    passOver<float, false>(in, n, out);
}

// ---- inclusive floats: reduce, then scan ----

const int WORKERS = 512;   // blocks at most
const int BT = 256;        // threads of each

__device__ float warpScan(float x) {
    for (int d = 1; d < 32; d <<= 1) {
        float y = __shfl_up_sync(~0u, x, d);
        if ((threadIdx.x & 31) >= d) x += y;
    }
    return x;
}

// One block scans in[begin ... end), with `carry` in front of it; the last thread returns the sum.
__device__ float scanRange(const float* in, size_t begin, size_t end, float carry, float* out) {
    __shared__ float warpTotal[BT / 32];
    const int warp = threadIdx.x / 32;
    for (size_t base = begin; base < end; base += BT) {
        const size_t i = base + threadIdx.x;
        const float x = warpScan(i < end ? in[i] : 0.0f);
        if (threadIdx.x % 32 == 31) warpTotal[warp] = x;
        __syncthreads();
        float next = carry;
        for (int w = 0; w < BT / 32; ++w) {
            if (w == warp) carry = next;
            next += warpTotal[w];
        }
        if (i < end) out[i] = carry + x;
        carry = next;
    }
    return carry;
}

__global__ void sumRanges(const float* in, size_t n, size_t length, float* sums) {
    __shared__ float s[BT];
    const size_t begin = blockIdx.x * length, end = min(begin + length, n);
    float x = 0.0f;
    for (size_t i = begin + threadIdx.x; i < end; i += BT) x += in[i];
    s[threadIdx.x] = x;
    __syncthreads();
    for (int h = BT / 2; h > 0; h /= 2) {
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = s[0];
}

__global__ void scanWorkers(const float* sums, int workers, float* upTo) {
    scanRange(sums, 0, workers, 0.0f, upTo);
}

__global__ void scanRanges(const float* in, size_t n, size_t length, const float* upTo, float* out) {
    const size_t begin = blockIdx.x * length, end = min(begin + length, n);
    scanRange(in, begin, end, blockIdx.x > 0 ? upTo[blockIdx.x - 1] : 0.0f, out);
}

void scan_inclusive_float(const float* in, size_t n, float* out) {
    static float* sums = nullptr;
    if (!sums) cudaMalloc(&sums, 2 * WORKERS * sizeof(float));
    float* upTo = sums + WORKERS;
    size_t length = (n + WORKERS - 1) / WORKERS;
    length = (length + 4 * BT - 1) / (4 * BT) * (4 * BT);   // four tiles at least
    const int workers = (int)((n + length - 1) / length);
    sumRanges<<<workers, BT>>>(in, n, length, sums);
    scanWorkers<<<1, BT>>>(sums, workers, upTo);
    scanRanges<<<workers, BT>>>(in, n, length, upTo, out);
}
