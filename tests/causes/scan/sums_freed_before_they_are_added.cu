// cause: use_after_free line 76
// task: exclusive_float
// The sums are freed before the kernel that adds them is launched; wrong or an illegal access with more than one block.
#include "interface.cuh"
#include <cuda_runtime.h>

// slow but simple: one block walks along the array, with a carry
template <class T>
__global__ void __launch_bounds__(1024) one_block(const T* in, std::size_t n, T* out, bool exclusive) {
    __shared__ T warps[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T carry = 0;
    for (std::size_t base = 0; base < n; base += 1024) {
        const std::size_t i = base + threadIdx.x;
        T v = i < n ? in[i] : T(0);
        for (int d = 1; d < 32; d *= 2) {
            const T u = __shfl_up_sync(0xffffffff, v, d);
            if (lane >= d) v += u;
        }
        if (lane == 31) warps[warp] = v;
        __syncthreads();
        T before = carry;
        for (int w = 0; w < 32; ++w) {
            if (w < warp) before += warps[w];
            carry += warps[w];
        }
        const T left = __shfl_up_sync(0xffffffff, v, 1);
        if (i < n) out[i] = !exclusive ? before + v : lane > 0 ? before + left : before;
        __syncthreads();
    }
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    one_block<<<1, 1024>>>(in, n, out, false);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    one_block<<<1, 1024>>>(in, n, out, true);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    one_block<<<1, 1024>>>(in, n, out, false);
}

// Kogge and Stone in place: everybody reads, then everybody writes
constexpr unsigned flt_excl_threads = 512;

__global__ void flt_excl_scan_block(const float* in, std::size_t n, float* out, float* sums) {
    __shared__ float s[flt_excl_threads];
    const unsigned t = threadIdx.x;
    const std::size_t i = (std::size_t)blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        float left = 0;
        if (t >= d) left = s[t - d];
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    if (i < n) out[i] = t > 0 ? s[t - 1] : 0;
    if (t == blockDim.x - 1) sums[blockIdx.x] = s[t];
}

__global__ void flt_excl_add(float* out, std::size_t n, const float* sums) {
    const std::size_t i = (std::size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

static void flt_excl_run(const float* in, std::size_t n, float* out) {
    const std::size_t blocks = (n + flt_excl_threads - 1) / flt_excl_threads;
    float* sums = nullptr;
    cudaMalloc(&sums, blocks * sizeof(float));
    flt_excl_scan_block<<<(unsigned)blocks, flt_excl_threads>>>(in, n, out, sums);
    if (blocks > 1) flt_excl_run(sums, blocks, sums);
    cudaFree(sums);
    if (blocks > 1) flt_excl_add<<<(unsigned)blocks, flt_excl_threads>>>(out, n, sums);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    flt_excl_run(in, n, out);
}
