// cause: in_place line 55
// task: inclusive_int
// each thread adds up the totals left of its own and then overwrites its own, which threads of other blocks still have to read; shows with several non-empty chunks
#include "interface.cuh"

const int CHUNKS = 192;
const int THREADS = 128;

// Every block reduces its chunk.
__global__ void reduceChunk(const int* in, long n, long len, int* totals) {
    __shared__ int s[THREADS];
    long lo = blockIdx.x * len, hi = min(lo + len, n);
    int acc = 0;
    for (long i = lo + threadIdx.x; i < hi; i += THREADS) acc += in[i];
    s[threadIdx.x] = acc;
    for (int h = THREADS / 2; h > 0; h >>= 1) {
        __syncthreads();
        if (threadIdx.x < h) s[threadIdx.x] += s[threadIdx.x + h];
    }
    if (threadIdx.x == 0) totals[blockIdx.x] = s[0];
}

// One thread per chunk: how much comes before it?
__global__ void chunkOffsets(const int* totals, int* offsets) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int before = 0;
    for (int j = 0; j < c; j++) before += totals[j];
    offsets[c] = before;
}

// Every block scans its chunk, beginning with its offset.
__global__ void scanChunk(const int* in, long n, long len, const int* offsets, int* out) {
    __shared__ int s[THREADS];
    long lo = blockIdx.x * len, hi = min(lo + len, n);
    int carry = offsets[blockIdx.x];
    for (long base = lo; base < hi; base += THREADS) {
        long i = base + threadIdx.x;
        s[threadIdx.x] = i < hi ? in[i] : 0;
        __syncthreads();
        for (int d = 1; d < THREADS; d <<= 1) {
            int left = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
            __syncthreads();
            s[threadIdx.x] += left;
            __syncthreads();
        }
        if (i < hi) out[i] = carry + s[threadIdx.x];
        carry += s[THREADS - 1];
        __syncthreads();
    }
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    static int* totals = nullptr;
    if (!totals) cudaMalloc(&totals, CHUNKS * sizeof(int));
    int* offsets = totals;
    long len = (n + CHUNKS - 1) / CHUNKS;
    reduceChunk<<<CHUNKS, THREADS>>>(in, n, len, totals);
    chunkOffsets<<<CHUNKS / 32, 32>>>(totals, offsets);
    scanChunk<<<CHUNKS, THREADS>>>(in, n, len, offsets, out);
}
