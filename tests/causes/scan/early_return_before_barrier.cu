// cause: divergent_barrier line 49
// task: inclusive_int
// Threads past the end return before the barriers (and leave their places in shared memory unwritten); shows whenever n is no multiple of the block size.
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

__global__ void inc_tile_scan(const int* in, std::size_t n, int* out, int* sums) {
    __shared__ int s[256];
    __shared__ int before_warp[256 / 32];
    unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    std::size_t i = (std::size_t)blockIdx.x * 256 + t;
    if (i >= n) return;
    s[t] = in[i];
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

__global__ void inc_shift(int* out, std::size_t n, const int* sums) {
    std::size_t i = (std::size_t)blockIdx.x * 256 + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

void inc_any(const int* in, std::size_t n, int* out) {
    unsigned blocks = (unsigned)((n + 256 - 1) / 256);
    int* sums;
    cudaMalloc((void**)&sums, sizeof(int) * blocks);
    inc_tile_scan<<<blocks, 256>>>(in, n, out, sums);
    if (blocks > 1) {
        inc_any(sums, blocks, sums);
        inc_shift<<<blocks, 256>>>(out, n, sums);
    }
    cudaFree(sums);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { inc_any(in, n, out); }

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    by_pieces(in, n, out, true);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    by_pieces(in, n, out, false);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    by_pieces(in, n, out, true);
}
