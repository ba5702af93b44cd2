// cause: missing_fence line 70
// task: inclusive_int
// No fence between the prefix and the flag that announces it; the next tile may see the flag and read an old prefix (more than one tile).
// all prefix sums
#include "interface.cuh"

constexpr int workers = 64 * 128;  // each has one piece of the array

template <class T> __global__ void piece_sums(const T* in, std::size_t n, std::size_t piece, T* totals) {
    const std::size_t id = blockIdx.x * blockDim.x + threadIdx.x;
    T sum = 0;
    for (std::size_t i = id * piece; i < n && i < (id + 1) * piece; ++i) sum += in[i];
    totals[id] = sum;
}

template <class T> __global__ void scan_totals(T* totals) {
    T run = 0;
    for (int k = 0; k < workers; ++k) {
        const T x = totals[k];
        totals[k] = run;
        run += x;
    }
}

template <class T>
__global__ void piece_scan(const T* in, std::size_t n, std::size_t piece, const T* totals, T* out, bool exclusive) {
    const std::size_t id = blockIdx.x * blockDim.x + threadIdx.x;
    T run = totals[id];
    for (std::size_t i = id * piece; i < n && i < (id + 1) * piece; ++i) {
        const T next = run + in[i];
        out[i] = exclusive ? run : next;
        run = next;
    }
}

template <class T> void by_pieces(const T* in, std::size_t n, T* out, bool exclusive) {
    static T* totals = nullptr;
    if (totals == nullptr) cudaMalloc(&totals, workers * sizeof(T));
    const std::size_t piece = (n + workers - 1) / workers;
    piece_sums<<<64, 128>>>(in, n, piece, totals);
    scan_totals<<<1, 1>>>(totals);
    piece_scan<<<64, 128>>>(in, n, piece, totals, out, exclusive);
}

// One pass. A block draws the number of its tile, and waits for the prefix of the tile before.
__global__ void a_chained(const int* in, std::size_t n, int* out, volatile int* prefix, unsigned* flag, unsigned* ticket) {
    __shared__ int s[128];
    __shared__ unsigned tile;
    __shared__ int before;
    const int t = threadIdx.x;
    if (t == 0) tile = atomicAdd(ticket, 1u);
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
        atomicExch(&flag[tile], 1u);
        before = b;
    }
    __syncthreads();
    if (i < n) out[i] = before + s[t];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
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
    a_chained<<<static_cast<unsigned>(tiles), 128>>>(in, n, out, prefix, flag, flag + tiles);
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    by_pieces(in, n, out, true);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    by_pieces(in, n, out, false);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    by_pieces(in, n, out, true);
}
