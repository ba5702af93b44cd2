// cause: misaligned line 67
// task: exclusive_int
// The four sums are stored one place further on as one int4, at an address that is not a multiple of 16 bytes.
#include "interface.cuh"

// Reduce, scan the sums, scan again. Each thread has four elements, which it loads as one int4.
#define T 256
#define TILE (4 * T)

__device__ int4 load4(const int* in, size_t i, size_t n) {
    if (i + 3 < n) return *(const int4*)(in + i);
    int4 v = make_int4(0, 0, 0, 0);
    if (i < n) v.x = in[i];
    if (i + 1 < n) v.y = in[i + 1];
    if (i + 2 < n) v.z = in[i + 2];
    return v;
}

// The sum over all threads before this one; total gets that of the block.
__device__ int block_exclusive(int x, int* total) {
    __shared__ int s[T];
    s[threadIdx.x] = x;
    __syncthreads();
    for (int d = 1; d < T; d <<= 1) {
        int y = (int)threadIdx.x >= d ? s[threadIdx.x - d] : 0;
        __syncthreads();
        s[threadIdx.x] += y;
        __syncthreads();
    }
    int before = threadIdx.x > 0 ? s[threadIdx.x - 1] : 0;
    *total = s[T - 1];
    __syncthreads();
    return before;
}

__global__ void reduce_tiles(const int* in, size_t n, int* sums) {
    int4 v = load4(in, (size_t)blockIdx.x * TILE + 4 * threadIdx.x, n);
    int total;
    block_exclusive(v.x + v.y + v.z + v.w, &total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

__global__ void scan_sums(int* sums, unsigned count) {
    int carry = 0;
    for (unsigned first = 0; first < count; first += T) {
        unsigned i = first + threadIdx.x;
        int total;
        int before = block_exclusive(i < count ? sums[i] : 0, &total);
        if (i < count) sums[i] = carry + before;
        carry += total;
    }
}

__global__ void scan_tiles(const int* in, size_t n, int* out, const int* sums) {
    size_t i = (size_t)blockIdx.x * TILE + 4 * threadIdx.x;
    int4 v = load4(in, i, n);
    int total;
    int before = sums[blockIdx.x] + block_exclusive(v.x + v.y + v.z + v.w, &total);

    v.x += before;
    v.y += v.x;
    v.z += v.y;
    v.w += v.z;
    if (i == 0) out[0] = 0;
    // out[i + 1] is the sum of everything up to in[i]
    if (i + 4 < n) {
        *(int4*)(out + i + 1) = v;
    } else {
        if (i + 1 < n) out[i + 1] = v.x;
        if (i + 2 < n) out[i + 2] = v.y;
        if (i + 3 < n) out[i + 3] = v.z;
    }
}

void scan_exclusive_int(const int* in, size_t n, int* out) {
    static int* sums = 0;
    static unsigned room = 0;
    unsigned tiles = (unsigned)((n + TILE - 1) / TILE);
    if (tiles > room) {
        cudaFree(sums);
        cudaMalloc(&sums, (room = tiles) * sizeof(int));
    }
    reduce_tiles<<<tiles, T>>>(in, n, sums);
    scan_sums<<<1, T>>>(sums, tiles);
    scan_tiles<<<tiles, T>>>(in, n, out, sums);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
