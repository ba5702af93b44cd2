// cause: missing_barrier line 45 or 46
// task: inclusive_int
// When one block scans the sums of the tiles, a warp may begin with the next 256 sums while others still read the last element of these for the carry.
#include "interface.cuh"

const int B = 256;

// Phase 1: each block scans its tile (Kogge and Stone) and keeps the sum.
__global__ void scan_tiles(const int* in, size_t n, int* out, int* sums) {
    __shared__ int s[B];
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * B + t;

    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < B; d *= 2) {
        int left = 0;
        if (t >= d) left = s[t - d];
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    if (i < n) out[i] = s[t];
    if (t == B - 1) sums[blockIdx.x] = s[t];
}

// Phase 2: one block scans all the sums, 256 at a time, and carries the total on.
__global__ void scan_sums(int* sums, int count) {
    __shared__ int s[B];
    int t = threadIdx.x;
    int carry = 0;

    for (int first = 0; first < count; first += B) {
        int i = first + t;
        s[t] = i < count ? sums[i] : 0;
        __syncthreads();
        for (int d = 1; d < B; d *= 2) {
            int left = 0;
            if (t >= d) left = s[t - d];
            __syncthreads();
            s[t] += left;
            __syncthreads();
        }
        if (i < count) sums[i] = carry + s[t];
        carry += s[B - 1];
    }
}

// Phase 3: each block but the first adds what came before it.
__global__ void add_before(int* out, size_t n, const int* sums) {
    size_t i = (size_t)(blockIdx.x + 1) * B + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

void scan_inclusive_int(const int* in, size_t n, int* out) {
    static int* sums = nullptr;
    static int room = 0;

    int blocks = (int)((n + B - 1) / B);
    if (blocks > room) {
        cudaFree(sums);
        cudaMalloc(&sums, blocks * sizeof(int));
        room = blocks;
    }
    scan_tiles<<<blocks, B>>>(in, n, out, sums);
    if (blocks > 1) {
        scan_sums<<<1, B>>>(sums, blocks);
        add_before<<<blocks - 1, B>>>(out, n, sums);
    }
}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
