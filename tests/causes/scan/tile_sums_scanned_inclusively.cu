// cause: inclusive_exclusive line 80
// task: inclusive_float
// The recursion passes its own kind on, so the tiles' sums are scanned inclusively too, and each tile adds its own sum to itself.
#include "interface.cuh"

namespace {

constexpr int kThreads = 256;
constexpr int kPerThread = 2;
constexpr int kTile = kThreads * kPerThread;

enum class Kind { inclusive, exclusive };

/// Kogge and Stone in shared memory with two buffers that change places in each step.
template <class T>
struct DoubleBuffer {
    T data[2][kThreads];

    /// Inclusive over the block; *before is the sum of the threads before this one.
    __device__ T scan(T mine, T* before) {
        const int t = threadIdx.x;
        int now = 0;
        data[now][t] = mine;
        __syncthreads();
        for (int d = 1; d < kThreads; d *= 2) {
            data[1 - now][t] = t >= d ? data[now][t - d] + data[now][t] : data[now][t];
            now = 1 - now;
            __syncthreads();
        }
        *before = t > 0 ? data[now][t - 1] : T(0);
        return data[now][t];
    }
};

/// Scans each tile by itself; the tile's sum goes to sums[tile]. in and out may be the same.
template <Kind kind, class T>
__global__ void scan_tiles(const T* in, std::size_t n, T* out, T* sums) {
    __shared__ DoubleBuffer<T> buffer;
    const std::size_t first =
        static_cast<std::size_t>(blockIdx.x) * kTile + threadIdx.x * kPerThread;

    T v[kPerThread];
    T mine = 0;
    for (int k = 0; k < kPerThread; ++k) {
        v[k] = first + k < n ? in[first + k] : T(0);
        mine += v[k];
    }
    T running;
    const T upto = buffer.scan(mine, &running);
    if (threadIdx.x == kThreads - 1) sums[blockIdx.x] = upto;

    for (int k = 0; k < kPerThread; ++k) {
        const T with = running + v[k];
        if (first + k < n) out[first + k] = kind == Kind::inclusive ? with : running;
        running = with;
    }
}

/// Adds to each element what offset holds for its tile.
template <class T>
__global__ void add_offsets(T* out, std::size_t n, const T* offset) {
    const T before = offset[blockIdx.x];
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kTile;
    for (int k = threadIdx.x; k < kTile; k += kThreads) {
        if (first + k < n) out[first + k] += before;
    }
}

std::size_t tiles_for(std::size_t n) { return (n + kTile - 1) / kTile; }

/// Scan of any length. sums has room for the tiles of this level and of all above it.
template <Kind kind, class T>
void scan(const T* in, std::size_t n, T* out, T* sums) {
    const std::size_t tiles = tiles_for(n);
    const dim3 grid(static_cast<unsigned>(tiles));
    scan_tiles<kind><<<grid, kThreads>>>(in, n, out, sums);
    if (tiles == 1) return;

    // the sums of the tiles are an array like any other: scan it in place, then hand it down
    scan<kind>(sums, tiles, sums, sums + tiles);
    add_offsets<<<grid, kThreads>>>(out, n, sums);
}

/// Room for the sums of all levels, kept from call to call
template <class T>
T* room_for(std::size_t n) {
    static T* memory = nullptr;
    static std::size_t size = 0;
    std::size_t wanted = 0;
    do {
        n = tiles_for(n);
        wanted += n;
    } while (n > 1);
    if (wanted > size) {
        cudaFree(memory);
        cudaMalloc(&memory, wanted * sizeof(T));
        size = wanted;
    }
    return memory;
}

}  // namespace

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    scan<Kind::inclusive>(in, n, out, room_for<float>(n));
}

void scan_inclusive_int(const int*, std::size_t, int*) {
    // TODO
}

void scan_exclusive_int(const int*, std::size_t, int*) {
    // TODO
}

void scan_exclusive_float(const float*, std::size_t, float*) {
    // TODO
}
