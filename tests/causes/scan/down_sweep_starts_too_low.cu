// cause: tree_level_missing line 57
// task: inclusive_float
// The way down of Brent-Kung leaves out its topmost level, so places in the last quarter of a tile lack the first half; n above three quarters of a tile.
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

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    one_block<<<1, 1024>>>(in, n, out, true);
}

#define incf_HALF 256
#define incf_TILE (2 * incf_HALF)

// Brent-Kung, two elements per thread
__global__ void incf_brent_kung(const float* in, std::size_t n, float* out, float* sums)
{
    __shared__ float s[incf_TILE];
    unsigned t = threadIdx.x;
    std::size_t first = (std::size_t)blockIdx.x * incf_TILE;
    s[t] = first + t < n ? in[first + t] : 0;
    s[t + incf_HALF] = first + t + incf_HALF < n ? in[first + t + incf_HALF] : 0;

    for (unsigned d = 1; d < incf_TILE; d *= 2) {     // up
        __syncthreads();
        unsigned k = (t + 1) * 2 * d - 1;
        if (k < incf_TILE) s[k] += s[k - d];
    }
    for (unsigned d = incf_HALF / 4; d > 0; d /= 2) {  // down
        __syncthreads();
        unsigned k = (t + 1) * 2 * d - 1;
        if (k + d < incf_TILE) s[k + d] += s[k];
    }
    __syncthreads();

    if (first + t < n) out[first + t] = s[t];
    if (first + t + incf_HALF < n) out[first + t + incf_HALF] = s[t + incf_HALF];
    if (t == 0) sums[blockIdx.x] = s[incf_TILE - 1];
}

__global__ void incf_add(float* out, std::size_t n, const float* sums)
{
    std::size_t i = (std::size_t)blockIdx.x * incf_TILE + threadIdx.x;
    float before = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
    if (i < n) out[i] += before;
    if (i + incf_HALF < n) out[i + incf_HALF] += before;
}

static void incf_level(const float* in, std::size_t n, float* out, float* work)
{
    std::size_t blocks = (n + incf_TILE - 1) / incf_TILE;
    incf_brent_kung<<<blocks, incf_HALF>>>(in, n, out, work);
    if (blocks > 1) {
        incf_level(work, blocks, work, work + blocks);
        incf_add<<<blocks, incf_HALF>>>(out, n, work);
    }
}

void scan_inclusive_float(const float* in, std::size_t n, float* out)
{
    static float* work = nullptr;
    static std::size_t size = 0;
    std::size_t need = 2 * (n / incf_TILE + 1) + 8;   // the sums of all levels
    if (need > size) {
        cudaFree(work);
        cudaMalloc(&work, need * sizeof(float));
        size = need;
    }
    incf_level(in, n, out, work);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    one_block<<<1, 1024>>>(in, n, out, true);
}
