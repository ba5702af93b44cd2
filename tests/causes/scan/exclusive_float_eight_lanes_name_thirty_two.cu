// cause: wrong_shuffle_mask line 36
// task: exclusive_float
// Only the first 8 lanes scan the sums of the warps, but the mask of their shuffle names all 32.

#include "interface.cuh"

// Exclusive scan, shuffles within warps. T is a template parameter so that the ints come for free later.

constexpr unsigned FULL = 0xffffffffu;
constexpr int BLOCK = 256;
constexpr int WARPS = BLOCK / 32;

// exclusive scan of one value per thread; the block's sum goes to thread 0's `sum`
template <typename T>
__device__ T exclusive_in_block(T v, T* sum) {
    __shared__ T warp_start[WARPS + 1];
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;

    // 1. every warp for itself, inclusive
    T inc = v;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const T up = __shfl_up_sync(FULL, inc, d);
        if (lane >= d) inc += up;
    }
    if (lane == 31) warp_start[warp + 1] = inc;
    if (threadIdx.x == 0) warp_start[0] = T(0);
    __syncthreads();

    // 2. the sums of the warps, by the first lanes of the first warp
    if (threadIdx.x < WARPS) {
        T w = warp_start[threadIdx.x + 1];
#pragma unroll
        for (int d = 1; d < WARPS; d *= 2) {
            const T up = __shfl_up_sync(FULL, w, d);
            if (threadIdx.x >= d) w += up;
        }
        warp_start[threadIdx.x + 1] = w;
    }
    __syncthreads();

    // 3. exclusive: what the lane before had
    T exc = __shfl_up_sync(FULL, inc, 1);
    if (lane == 0) exc = T(0);
    if (threadIdx.x == 0) *sum = warp_start[WARPS];
    return warp_start[warp] + exc;
}

template <typename T>
__global__ void scan_blocks(const T* in, std::size_t n, T* out, T* block_sum) {
    const std::size_t i = std::size_t(blockIdx.x) * BLOCK + threadIdx.x;
    T sum = T(0);
    const T before = exclusive_in_block(i < n ? in[i] : T(0), &sum);
    if (i < n) out[i] = before;
    if (threadIdx.x == 0 && block_sum != nullptr) block_sum[blockIdx.x] = sum;
}

template <typename T>
__global__ void add_offsets(T* out, std::size_t n, const T* offset) {
    const std::size_t i = std::size_t(blockIdx.x) * BLOCK + threadIdx.x;
    if (i < n) out[i] += offset[blockIdx.x];
}

template <typename T>
void exclusive_scan(const T* in, std::size_t n, T* out) {
    const std::size_t blocks = (n + BLOCK - 1) / BLOCK;
    if (blocks == 1) {
        scan_blocks<T><<<1, BLOCK>>>(in, n, out, nullptr);
        return;
    }
    T* sums = nullptr;   // first half: sums of the blocks; second half: what comes before them
    cudaMalloc(&sums, 2 * blocks * sizeof(T));
    scan_blocks<T><<<unsigned(blocks), BLOCK>>>(in, n, out, sums);
    exclusive_scan<T>(sums, blocks, sums + blocks);
    add_offsets<T><<<unsigned(blocks), BLOCK>>>(out, n, sums + blocks);
    cudaFree(sums);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    exclusive_scan<float>(in, n, out);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO: write kernels and launch them here.
}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
