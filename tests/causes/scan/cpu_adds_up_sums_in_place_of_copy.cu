// cause: device_pointer_on_host line 153
// task: inclusive_float
// The loop on the CPU reads the sums of the blocks through a device pointer, which crashes for every n.
#include <vector>

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

// The inclusive scan of floats is from the first week: two buffers that take turns, and the CPU
// scans what the blocks leave.
#define N_BLOCK 1024

__global__ void scanBlock(const float* in, size_t n, float* out, float* sums) {
    __shared__ float buffer[2][N_BLOCK];
    int t = threadIdx.x, from = 0;
    size_t i = (size_t)blockIdx.x * N_BLOCK + t;
    buffer[0][t] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int d = 1; d < N_BLOCK; d <<= 1) {
        float x = buffer[from][t];
        if (t >= d) x += buffer[from][t - d];
        from = 1 - from;
        buffer[from][t] = x;
        __syncthreads();
    }
    if (i < n) out[i] = buffer[from][t];
    if (t == N_BLOCK - 1) sums[blockIdx.x] = buffer[from][t];
}

__global__ void addBefore(float* out, size_t n, const float* before) {
    size_t i = (size_t)blockIdx.x * N_BLOCK + threadIdx.x;
    if (i < n) out[i] += before[blockIdx.x];
}

void scan_inclusive_float(const float* in, size_t n, float* out) {
    static float* sums = nullptr;
    static size_t room = 0;
    const size_t blocks = (n + N_BLOCK - 1) / N_BLOCK;
    if (blocks > room) {
        cudaFree(sums);
        cudaMalloc(&sums, blocks * sizeof(float));
        room = blocks;
    }
    scanBlock<<<(unsigned)blocks, N_BLOCK>>>(in, n, out, sums);

    std::vector<float> before(blocks);
    cudaDeviceSynchronize();
    float total = 0.0f;
    for (size_t b = 0; b < blocks; ++b) {
        const float s = sums[b];
        before[b] = total;
        total += s;
    }
    cudaMemcpy(sums, before.data(), blocks * sizeof(float), cudaMemcpyHostToDevice);
    addBefore<<<(unsigned)blocks, N_BLOCK>>>(out, n, sums);
}
