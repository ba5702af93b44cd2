// cause: wrong_shuffle_mask line 57
// task: exclusive_float
// The shuffle sits inside of if (lane >= d) with a mask that names all 32 lanes: lanes that do not take part are named and read, undefined for every n.
// all prefix sums
#include "interface.cuh"

template <class T, bool Exclusive>
__global__ void scanTile(const T* in, std::size_t n, T* out, T* sums) {
    __shared__ T s[256];
    int t = threadIdx.x;
    std::size_t i = (std::size_t)blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : T(0);
    for (int d = 1; d < 256; d *= 2) {
        __syncthreads();
        T left = t >= d ? s[t - d] : T(0);
        __syncthreads();
        s[t] += left;
    }
    __syncthreads();
    if (i < n) out[i] = !Exclusive ? s[t] : t > 0 ? s[t - 1] : T(0);
    if (t == 255) sums[blockIdx.x] = s[t];
}

template <class T> __global__ void addBefore(T* out, std::size_t n, const T* sums) {
    std::size_t i = (std::size_t)blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

template <class T, bool Exclusive> void scanAny(const T* in, std::size_t n, T* out) {
    unsigned blocks = (unsigned)((n + 255) / 256);
    T* sums;
    cudaMalloc(&sums, blocks * sizeof(T));
    scanTile<T, Exclusive><<<blocks, 256>>>(in, n, out, sums);
    if (blocks > 1) {
        scanAny<T, true>(sums, blocks, sums);
        addBefore<<<blocks, 256>>>(out, n, sums);
    }
    cudaFree(sums);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    scanAny<int, false>(in, n, out);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    scanAny<int, true>(in, n, out);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    scanAny<float, false>(in, n, out);
}

__device__ float d_block_scan(float v, float* warp_sums) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    for (unsigned d = 1; d < 32; d *= 2) {
        if (lane >= d) v += __shfl_up_sync(0xffffffffu, v, d);
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
__global__ void __launch_bounds__(1024) d_tiles(const float* in, std::size_t n, float* out, float* sums) {
    __shared__ float warp_sums[32];
    const std::size_t i = (std::size_t)blockIdx.x * 1024 + threadIdx.x;
    const float v = d_block_scan(i < n ? in[i] : 0, warp_sums);
    if (i + 1 < n) out[i + 1] = v;
    if (i == 0) out[0] = 0;
    if (threadIdx.x == 1023) sums[blockIdx.x] = v;
}

__global__ void __launch_bounds__(1024) d_sums(float* sums, unsigned blocks) {
    __shared__ float warp_sums[32];
    __shared__ float total;
    float carry = 0;
    for (unsigned base = 0; base < blocks; base += 1024) {
        const unsigned i = base + threadIdx.x;
        const float v = d_block_scan(i < blocks ? sums[i] : 0, warp_sums);
        if (i < blocks) sums[i] = carry + v;
        if (threadIdx.x == 1023) total = v;
        __syncthreads();
        carry += total;
        __syncthreads();
    }
}

__global__ void d_add(float* out, std::size_t n, const float* sums) {
    const std::size_t i = (std::size_t)blockIdx.x * 1024 + threadIdx.x;
    if (blockIdx.x > 0 && i + 1 < n) out[i + 1] += sums[blockIdx.x - 1];
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    static float* sums = nullptr;
    static std::size_t capacity = 0;
    const std::size_t blocks = (n + 1023) / 1024;
    if (blocks > capacity) {
        cudaFree(sums);
        cudaMalloc(&sums, blocks * sizeof(float));
        capacity = blocks;
    }
    d_tiles<<<blocks, 1024>>>(in, n, out, sums);
    d_sums<<<1, 1024>>>(sums, blocks);
    d_add<<<blocks, 1024>>>(out, n, sums);
}
