// cause: divergent_barrier line 39
// task: exclusive_int
// On the way down the barrier has slipped into the branch for the threads that work, so that the idle threads of the block do not reach it.
#include "interface.cuh"

// Blelloch's scan: up a tree (a reduction that keeps its partial sums), a zero at the root, and down
// again. Each thread has two elements. Slots are padded by one for every 32 against bank conflicts.

constexpr int half_tile = 256;
constexpr int tile_size = 2 * half_tile;

#define PAD(i) ((i) + ((i) >> 5))

template <class T> struct TreeScan {
    T node[PAD(tile_size)];

    __device__ T& at(int i) { return node[PAD(i)]; }

    __device__ void up() {
        int step = 1;
        for (int pairs = half_tile; pairs > 0; pairs >>= 1) {
            __syncthreads();
            if (threadIdx.x < pairs) {
                const int right = (2 * threadIdx.x + 2) * step - 1;
                at(right) += at(right - step);
            }
            step <<= 1;
        }
    }

    __device__ void down() {
        int step = half_tile;
        for (int pairs = 1; pairs <= half_tile; pairs <<= 1) {
            if (threadIdx.x < pairs) {
                const int right = (2 * threadIdx.x + 2) * step - 1;
                const T below = at(right - step);
                at(right - step) = at(right);
                at(right) += below;
                __syncthreads();
            }
            step >>= 1;
        }
    }
};

template <class T>
__global__ void scan_tile(const T* in, std::size_t n, T* out, T* tile_sums) {
    __shared__ TreeScan<T> tree;
    const int t = threadIdx.x;
    const std::size_t a = static_cast<std::size_t>(blockIdx.x) * tile_size + t;
    const std::size_t b = a + half_tile;
    tree.at(t) = a < n ? in[a] : T{};
    tree.at(t + half_tile) = b < n ? in[b] : T{};

    tree.up();
    __syncthreads();
    if (t == 0) {
        if (tile_sums != nullptr) tile_sums[blockIdx.x] = tree.at(tile_size - 1);
        tree.at(tile_size - 1) = T{};
    }
    __syncthreads();
    tree.down();
    __syncthreads();

    if (a < n) out[a] = tree.at(t);
    if (b < n) out[b] = tree.at(t + half_tile);
}

template <class T> __global__ void add_offsets(T* out, std::size_t n, const T* offsets) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * tile_size + threadIdx.x;
    if (i < n) out[i] += offsets[blockIdx.x];
}

template <class T> void scan_all(const T* in, std::size_t n, T* out, T* scratch) {
    const std::size_t tiles = (n + tile_size - 1) / tile_size;
    const unsigned grid = static_cast<unsigned>(tiles);
    if (tiles == 1) {
        scan_tile<T><<<1, half_tile>>>(in, n, out, nullptr);
        return;
    }
    T* sums = scratch;
    T* offsets = sums + tiles;
    scan_tile<T><<<grid, half_tile>>>(in, n, out, sums);
    scan_all<T>(sums, tiles, offsets, offsets + tiles);
    add_offsets<T><<<grid, tile_size>>>(out, n, offsets);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static int* scratch = nullptr;
    static std::size_t capacity = 0;
    const std::size_t need = 4 * (n / tile_size + 16);  // sums and offsets of all levels
    if (need > capacity) {
        cudaFree(scratch);
        cudaMalloc(reinterpret_cast<void**>(&scratch), need * sizeof(int));
        capacity = need;
    }
    scan_all(in, n, out, scratch);
}
