// cause: inclusive_exclusive line 23
// task: exclusive_int
// The last lane hands over its exclusive prefix as the total of the warp, which lacks the lane's own element: wrong from the second warp on.
#include "interface.cuh"

// inclusive scan within a warp
__device__ int warp_inclusive(int v) {
    int lane = threadIdx.x & 31;
    for (int d = 1; d < 32; d <<= 1) {
        int u = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d) v += u;
    }
    return v;
}

// exclusive scan over a block of 1024 threads; total gets the sum of the block
__device__ int block_exclusive(int v, int& total) {
    __shared__ int warps[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int incl = warp_inclusive(v);
    int excl = __shfl_up_sync(0xffffffff, incl, 1);
    if (lane == 0) excl = 0;
    if (lane == 31) warps[warp] = excl;
    __syncthreads();
    if (warp == 0) warps[lane] = warp_inclusive(warps[lane]);
    __syncthreads();
    if (warp > 0) excl += warps[warp - 1];
    total = warps[31];
    __syncthreads();
    return excl;
}

#define MAX_BLOCKS 128
__device__ int block_sums[MAX_BLOCKS];

// phase 1: sum of each section
__global__ void section_sums(const int* in, size_t n, size_t section) {
    size_t begin = blockIdx.x * section;
    size_t end = begin + section < n ? begin + section : n;
    int v = 0, total;
    for (size_t i = begin + threadIdx.x; i < end; i += blockDim.x) v += in[i];
    block_exclusive(v, total);
    if (threadIdx.x == 0) block_sums[blockIdx.x] = total;
}

// phase 2: one thread, there are few sections
__global__ void scan_sums(int count) {
    int sum = 0;
    for (int i = 0; i < count; i++) {
        int x = block_sums[i];
        block_sums[i] = sum;
        sum += x;
    }
}

// phase 3
__global__ void scan_sections(const int* in, size_t n, size_t section, int* out) {
    size_t begin = blockIdx.x * section;
    size_t end = begin + section < n ? begin + section : n;
    int carry = block_sums[blockIdx.x];
    for (size_t base = begin; base < end; base += blockDim.x) {
        size_t i = base + threadIdx.x;
        int total;
        int before = block_exclusive(i < end ? in[i] : 0, total);
        if (i < end) out[i] = carry + before;
        carry += total;
    }
}

void scan_exclusive_int(const int* in, size_t n, int* out) {
    size_t section = (n + MAX_BLOCKS - 1) / MAX_BLOCKS;
    if (section < 1024) section = 1024;
    int blocks = (int)((n + section - 1) / section);
    section_sums<<<blocks, 1024>>>(in, n, section);
    scan_sums<<<1, 1>>>(blocks);
    scan_sections<<<blocks, 1024>>>(in, n, section, out);
}

void scan_inclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}
void scan_exclusive_float(const float*, std::size_t, float*) {}
