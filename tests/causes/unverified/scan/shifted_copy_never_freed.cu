// cause: leak line 133
// task: exclusive_float
// The copy of the input that is moved by one place is allocated in each call and never freed; each call leaves n floats behind.
// Scan: blocks scan tiles, the sums of the tiles are scanned by the same function, then they are added.
// An exclusive scan is an inclusive scan of the input moved by one place.
#include "interface.cuh"

#include <algorithm>

namespace {

constexpr int kThreads = 256;
constexpr int kItems = 8;
constexpr std::size_t kTile = kThreads * kItems;

std::size_t tiles_of(std::size_t n) { return (n + kTile - 1) / kTile; }

// Memory that is kept from call to call.
template <class T>
T* keep(T*& memory, std::size_t& room, std::size_t count) {
    if (room < count) {
        cudaFree(memory);
        cudaMalloc(&memory, count * sizeof(T));
        room = count;
    }
    return memory;
}

template <class T>
__device__ T scan_warp(T x) {
    const int lane = threadIdx.x & 31;
    for (int d = 1; d < 32; d *= 2) {
        const T left = __shfl_up_sync(0xffffffffu, x, d);
        if (lane >= d) x += left;
    }
    return x;
}

// out may be in: a block reads its tile before it writes it
template <class T>
__global__ void scan_tiles(const T* in, std::size_t n, T* out, T* sums) {
    __shared__ T stage[kTile + kTile / 32];
    __shared__ T of_warp[kThreads / 32];
    const std::size_t start = std::size_t{blockIdx.x} * kTile;
    const auto padded = [](int k) { return k + k / 32; };
    for (int k = threadIdx.x; k < static_cast<int>(kTile); k += kThreads) {
        stage[padded(k)] = start + k < n ? in[start + k] : T(0);
    }
    __syncthreads();

    T item[kItems];
    T running = 0;
    for (int k = 0; k < kItems; ++k) {
        running += stage[padded(threadIdx.x * kItems + k)];
        item[k] = running;
    }
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const T in_warp = scan_warp(running);
    if (lane == 31) of_warp[warp] = in_warp;
    T before = __shfl_up_sync(0xffffffffu, in_warp, 1);
    if (lane == 0) before = 0;
    __syncthreads();
    for (int w = 0; w < warp; ++w) before += of_warp[w];
    for (int k = 0; k < kItems; ++k) stage[padded(threadIdx.x * kItems + k)] = before + item[k];
    __syncthreads();

    for (int k = threadIdx.x; k < static_cast<int>(kTile); k += kThreads) {
        if (start + k < n) out[start + k] = stage[padded(k)];
    }
    if (sums != nullptr && threadIdx.x == 0) sums[blockIdx.x] = stage[padded(kTile - 1)];
}

template <class T>
__global__ void add_sums(T* out, std::size_t n, const T* sums) {
    const T before = sums[blockIdx.x];
    const std::size_t start = (std::size_t{blockIdx.x} + 1) * kTile;
    for (std::size_t i = start + threadIdx.x; i < n && i < start + kTile; i += kThreads) out[i] = before + out[i];
}

template <class T>
void scan_levels(const T* in, std::size_t n, T* out, T* sums) {
    const std::size_t tiles = tiles_of(n);
    const unsigned blocks = static_cast<unsigned>(tiles);
    if (tiles == 1) {
        scan_tiles<T><<<1, kThreads>>>(in, n, out, nullptr);
        return;
    }
    scan_tiles<T><<<blocks, kThreads>>>(in, n, out, sums);
    scan_levels<T>(sums, tiles, sums, sums + tiles);
    add_sums<T><<<blocks - 1, kThreads>>>(out, n, sums);
}

template <class T>
void inclusive(const T* in, std::size_t n, T* out) {
    static T* sums = nullptr;
    static std::size_t room = 0;
    std::size_t all = 0;
    for (std::size_t level = tiles_of(n); level > 1; level = tiles_of(level)) all += level;
    scan_levels<T>(in, n, out, keep(sums, room, all + 1));
}

template <class T>
__global__ void move_right(const T* in, std::size_t n, T* out) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) {
        out[i] = i == 0 ? T(0) : in[i - 1];
    }
}

template <class T>
void exclusive(const T* in, std::size_t n, T* out, T* moved) {
    const unsigned blocks = static_cast<unsigned>(std::min<std::size_t>((n + 255) / 256, 4096));
    move_right<T><<<blocks, 256>>>(in, n, moved);
    inclusive<T>(moved, n, out);
}

}  // namespace

void scan_inclusive_int(const int* in, std::size_t n, int* out) { inclusive(in, n, out); }

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static int* moved = nullptr;
    static std::size_t room = 0;
    exclusive(in, n, out, keep(moved, room, n));
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) { inclusive(in, n, out); }

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    float* moved = nullptr;
    cudaMalloc(&moved, n * sizeof(float));
    exclusive(in, n, out, moved);
}
