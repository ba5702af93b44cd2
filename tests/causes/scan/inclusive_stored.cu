// cause: inclusive_exclusive line 61
// task: exclusive_int
// The tile stores the inclusive prefix where the exclusive one is asked for; every n.
// all prefix sums
#include "interface.cuh"

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

__global__ void b_tile_scan(const int* in, std::size_t n, int* out, int* sums) {
    __shared__ int s[256];
    __shared__ int before_warp[256 / 32];
    unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    std::size_t i = (std::size_t)blockIdx.x * 256 + t;
    s[t] = i < n ? in[i] : 0;
    __syncwarp();
    // each warp scans its own 32 places
    for (unsigned d = 1; d < 32; d *= 2) {
        int left = lane >= d ? s[t - d] : 0;
        __syncwarp();
        s[t] += left;
        __syncwarp();
    }
    __syncthreads();
    if (t == 0) {
        int total = 0;
        for (unsigned w = 0; w < 256 / 32; w++) {
            before_warp[w] = total;
            total += s[w * 32 + 31];
        }
        sums[blockIdx.x] = total;
    }
    __syncthreads();
    if (i < n) out[i] = before_warp[warp] + s[t];
}

__global__ void b_shift(int* out, std::size_t n, const int* sums) {
    std::size_t i = (std::size_t)blockIdx.x * 256 + threadIdx.x;
    if (i < n) out[i] += sums[blockIdx.x];
}

void b_any(const int* in, std::size_t n, int* out) {
    unsigned blocks = (unsigned)((n + 256 - 1) / 256);
    int* sums;
    cudaMalloc((void**)&sums, sizeof(int) * blocks);
    b_tile_scan<<<blocks, 256>>>(in, n, out, sums);
    if (blocks > 1) {
        b_any(sums, blocks, sums);
        b_shift<<<blocks, 256>>>(out, n, sums);
    }
    cudaFree(sums);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) { b_any(in, n, out); }

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    one_block<<<1, 1024>>>(in, n, out, false);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    one_block<<<1, 1024>>>(in, n, out, true);
}
