// cause: size_in_elements line 110
// task: inclusive_float
// cudaMalloc gets the number of sums instead of their bytes; writes past the end of the allocation as soon as the sums are more than the bytes allocated hold.
#include <cstdio>
#include "interface.cuh"

constexpr int workers = 64 * 128;  // each has one piece of the array

template <class T> __global__ void piece_sums(const T* in, std::size_t n, std::size_t piece, T* totals) {
    const std::size_t id = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (std::size_t i = id * piece; i < n && i < (id + 1) * piece; ++i) sum += in[i];
    totals[id] = sum;
}

template <class T> __global__ void scan_totals(T* totals) {
    T run = 0;
    for (int k = 0; k < workers; ++k) {
        const T x = totals[k];
        totals[k] = run;
        run += x;
    }
}

template <class T>
__global__ void piece_scan(const T* in, std::size_t n, std::size_t piece, const T* totals, T* out, bool exclusive) {
    const std::size_t id = blockIdx.x * blockDim.x + threadIdx.x;
    T run = totals[id];
    for (std::size_t i = id * piece; i < n && i < (id + 1) * piece; ++i) {
        const T next = run + in[i];
        out[i] = exclusive ? run : next;
        run = next;
    }
}

template <class T> void by_pieces(const T* in, std::size_t n, T* out, bool exclusive) {
    static T* totals = nullptr;
    if (totals == nullptr) cudaMalloc(&totals, workers * sizeof(T));
    const std::size_t piece = (n + workers - 1) / workers;
    piece_sums<<<64, 128>>>(in, n, piece, totals);
    scan_totals<<<1, 1>>>(totals);
    piece_scan<<<64, 128>>>(in, n, piece, totals, out, exclusive);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    by_pieces(in, n, out, false);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    by_pieces(in, n, out, true);
}

__device__ float scanF_block_scan(float v, float* warp_sums) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    for (unsigned d = 1; d < 32; d *= 2) {
        const float left = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += left;
    }
    if (lane == 31) warp_sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        float s = warp_sums[lane];
        for (unsigned d = 1; d < 32; d *= 2) {
            const float below = __shfl_up_sync(0xffffffffu, s, d);
            if (lane >= d) s += below;
        }
        warp_sums[lane] = s;
    }
    __syncthreads();
    if (warp > 0) v += warp_sums[warp - 1];
    return v;
}

// 1024 threads: 32 warps, so one warp can scan what the warps leave
__global__ void __launch_bounds__(1024) scanF_tiles(const float* in, std::size_t n, float* out, float* sums) {
    __shared__ float warp_sums[32];
    const std::size_t i = (std::size_t)blockIdx.x * 1024 + threadIdx.x;
    const float v = scanF_block_scan(i < n ? in[i] : 0, warp_sums);
    if (i < n) out[i] = v;
    if (threadIdx.x == 1023) sums[blockIdx.x] = v;
}

__global__ void __launch_bounds__(1024) scanF_sums(float* sums, unsigned blocks) {
    __shared__ float warp_sums[32];
    __shared__ float total;
    float carry = 0;
    for (unsigned base = 0; base < blocks; base += 1024) {
        const unsigned i = base + threadIdx.x;
        const float v = scanF_block_scan(i < blocks ? sums[i] : 0, warp_sums);
        if (i < blocks) sums[i] = carry + v;
        if (threadIdx.x == 1023) total = v;
        __syncthreads();
        carry += total;
        __syncthreads();
    }
}

__global__ void scanF_add(float* out, std::size_t n, const float* sums) {
    const std::size_t i = (std::size_t)blockIdx.x * 1024 + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    static float* sums = nullptr;
    static std::size_t capacity = 0;
    const std::size_t blocks = (n + 1023) / 1024;
    if (blocks > capacity) {
        cudaFree(sums);
        cudaMalloc(&sums, blocks);
        capacity = blocks;
    }
    scanF_tiles<<<blocks, 1024>>>(in, n, out, sums);
    scanF_sums<<<1, 1024>>>(sums, blocks);
    scanF_add<<<blocks, 1024>>>(out, n, sums);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    by_pieces(in, n, out, true);
}
