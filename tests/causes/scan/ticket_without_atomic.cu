// cause: missing_atomic line 42
// task: exclusive_int
// Blocks draw their tile number with a plain ++, so two blocks can get the same tile and another tile is never done: wrong or hanging with more than one block.
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

// One pass. A block draws the number of its tile, and waits for the prefix of the tile before.
__global__ void exc_chained(const int* in, std::size_t n, int* out, volatile int* prefix, unsigned* flag, unsigned* ticket) {
    __shared__ int s[128];
    __shared__ unsigned tile;
    __shared__ int before;
    const int t = threadIdx.x;
    if (t == 0) tile = (*ticket)++;
    __syncthreads();
    const std::size_t i = std::size_t(tile) * 128 + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 128; d <<= 1) {
        const int x = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += x;
        __syncthreads();
    }
    if (t == 128 - 1) {
        int b = 0;
        if (tile > 0) {
            while (atomicAdd(&flag[tile - 1], 0u) == 0u) {
            }
            __threadfence();
            b = prefix[tile - 1];
        }
        prefix[tile] = b + s[t];
        __threadfence();
        atomicExch(&flag[tile], 1u);
        before = b;
    }
    __syncthreads();
    if (i < n) out[i] = before + (t > 0 ? s[t - 1] : 0);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static int* prefix = nullptr;
    static unsigned* flag = nullptr;
    static std::size_t room = 0;
    const std::size_t tiles = (n + 128 - 1) / 128;
    if (tiles > room) {
        cudaFree(prefix);
        cudaFree(flag);
        cudaMalloc(&prefix, tiles * sizeof(int));
        cudaMalloc(&flag, (tiles + 1) * sizeof(unsigned));  // the last one is the ticket
        room = tiles;
    }
    cudaMemset(flag, 0, (tiles + 1) * sizeof(unsigned));
    exc_chained<<<static_cast<unsigned>(tiles), 128>>>(in, n, out, prefix, flag, flag + tiles);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    one_block<<<1, 1024>>>(in, n, out, false);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    one_block<<<1, 1024>>>(in, n, out, true);
}
