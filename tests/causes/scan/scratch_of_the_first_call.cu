// cause: array_too_small or state_kept_between_calls line 54
// task: exclusive_float
// The scratch memory is allocated in the first call, for the number of tiles of that call; it does not grow when a larger n comes.
#include "interface.cuh"

template <typename T, int LANES>
struct WarpScanner {
    // Returns the exclusive scan of v over the warp, and the sum of all lanes.
    __device__ static T exclusive(T v, T& sum) {
        const int lane = threadIdx.x % LANES;
        T inclusive = v;
        for (int d = 1; d < LANES; d *= 2) {
            T other = __shfl_up_sync(0xffffffff, inclusive, d);
            if (lane >= d) inclusive += other;
        }
        sum = __shfl_sync(0xffffffff, inclusive, LANES - 1);
        T left = __shfl_up_sync(0xffffffff, inclusive, 1);
        return lane == 0 ? T(0) : left;
    }
};

// Exclusive scan of tiles of 1024 elements, 32 warps in each block.
template <typename T>
__global__ void __launch_bounds__(1024) exclusive_tiles(const T* in, size_t n, T* out, T* sums) {
    __shared__ T warps[32];
    const size_t i = size_t(blockIdx.x) * 1024 + threadIdx.x;
    const T mine = i < n ? in[i] : T(0);
    T sum;
    T result = WarpScanner<T, 32>::exclusive(mine, sum);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        T before = WarpScanner<T, 32>::exclusive(warps[threadIdx.x], sum);
        warps[threadIdx.x] = before;
        if (threadIdx.x == 0) sums[blockIdx.x] = sum;
    }
    __syncthreads();
    result += warps[threadIdx.x / 32];
    if (i < n) out[i] = result;
}

template <typename T>
__global__ void __launch_bounds__(1024) add_to_tiles(T* out, size_t n, const T* before) {
    const size_t i = size_t(blockIdx.x) * 1024 + threadIdx.x;
    if (i < n) out[i] += before[blockIdx.x];
}

template <typename T>
void exclusive(const T* in, size_t n, T* out, int level) {
    // per level: the sums of the tiles, and the scan of these
    static T* scratch[4] = {};
    static size_t room[4] = {};
    const size_t tiles = (n + 1023) / 1024;
    if (scratch[level] == nullptr) {
        cudaFree(scratch[level]);
        cudaMalloc(&scratch[level], 2 * tiles * sizeof(T));
        room[level] = tiles;
    }
    T* sums = scratch[level];
    T* before = scratch[level] + room[level];

    exclusive_tiles<<<unsigned(tiles), 1024>>>(in, n, out, sums);
    if (tiles > 1) {
        exclusive(static_cast<const T*>(sums), tiles, before, level + 1);
        add_to_tiles<<<unsigned(tiles), 1024>>>(out, n, static_cast<const T*>(before));
    }
}

void scan_exclusive_float(const float* in, size_t n, float* out) {
    exclusive(in, n, out, 0);
}
