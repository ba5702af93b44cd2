// cause: array_too_small line 85
// task: inclusive_int
// The scratch array is allocated for the n of the first call only; a later call with a larger n writes past its end.
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

#define int_incl_HALF 128
#define int_incl_TILE (2 * int_incl_HALF)

// Brent-Kung, two elements per thread
__global__ void int_incl_brent_kung(const int* in, std::size_t n, int* out, int* sums)
{
    __shared__ int s[int_incl_TILE];
    unsigned t = threadIdx.x;
    std::size_t first = (std::size_t)blockIdx.x * int_incl_TILE;
    s[t] = first + t < n ? in[first + t] : 0;
    s[t + int_incl_HALF] = first + t + int_incl_HALF < n ? in[first + t + int_incl_HALF] : 0;

    for (unsigned d = 1; d < int_incl_TILE; d *= 2) {     // up
        __syncthreads();
        unsigned k = (t + 1) * 2 * d - 1;
        if (k < int_incl_TILE) s[k] += s[k - d];
    }
    for (unsigned d = int_incl_HALF / 2; d > 0; d /= 2) {  // down
        __syncthreads();
        unsigned k = (t + 1) * 2 * d - 1;
        if (k + d < int_incl_TILE) s[k + d] += s[k];
    }
    __syncthreads();

    if (first + t < n) out[first + t] = s[t];
    if (first + t + int_incl_HALF < n) out[first + t + int_incl_HALF] = s[t + int_incl_HALF];
    if (t == 0) sums[blockIdx.x] = s[int_incl_TILE - 1];
}

__global__ void int_incl_add(int* out, std::size_t n, const int* sums)
{
    std::size_t i = (std::size_t)blockIdx.x * int_incl_TILE + threadIdx.x;
    int before = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
    if (i < n) out[i] += before;
    if (i + int_incl_HALF < n) out[i + int_incl_HALF] += before;
}

static void int_incl_level(const int* in, std::size_t n, int* out, int* work)
{
    std::size_t blocks = (n + int_incl_TILE - 1) / int_incl_TILE;
    int_incl_brent_kung<<<blocks, int_incl_HALF>>>(in, n, out, work);
    if (blocks > 1) {
        int_incl_level(work, blocks, work, work + blocks);
        int_incl_add<<<blocks, int_incl_HALF>>>(out, n, work);
    }
}

void scan_inclusive_int(const int* in, std::size_t n, int* out)
{
    static int* work = nullptr;
    static std::size_t size = 0;
    std::size_t need = 2 * (n / int_incl_TILE + 1) + 8;   // the sums of all levels
    if (work == nullptr) {
        cudaFree(work);
        cudaMalloc(&work, need * sizeof(int));
        size = need;
    }
    int_incl_level(in, n, out, work);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    one_block<<<1, 1024>>>(in, n, out, true);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    one_block<<<1, 1024>>>(in, n, out, false);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    one_block<<<1, 1024>>>(in, n, out, true);
}
