// cause: uninitialised_output line 76
// task: exclusive_int
// Outputs are stored one place to the right and nobody writes the zero at out[0]; every n.
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

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    by_pieces(in, n, out, false);
}

__device__ int b_block_scan(int v, int* warp_sums) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    for (unsigned d = 1; d < 32; d *= 2) {
        const int left = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += left;
    }
    if (lane == 31) warp_sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int s = warp_sums[lane];
        for (unsigned d = 1; d < 32; d *= 2) {
            const int below = __shfl_up_sync(0xffffffffu, s, d);
            if (lane >= d) s += below;
        }
        warp_sums[lane] = s;
    }
    __syncthreads();
    if (warp > 0) v += warp_sums[warp - 1];
    return v;
}

// 1024 threads: 32 warps, so one warp can scan what the warps leave
__global__ void __launch_bounds__(1024) b_tiles(const int* in, std::size_t n, int* out, int* sums) {
    __shared__ int warp_sums[32];
    const std::size_t i = (std::size_t)blockIdx.x * 1024 + threadIdx.x;
    const int v = b_block_scan(i < n ? in[i] : 0, warp_sums);
    if (i + 1 < n) out[i + 1] = v;
    if (threadIdx.x == 1023) sums[blockIdx.x] = v;
}

__global__ void __launch_bounds__(1024) b_sums(int* sums, unsigned blocks) {
    __shared__ int warp_sums[32];
    __shared__ int total;
    int carry = 0;
    for (unsigned base = 0; base < blocks; base += 1024) {
        const unsigned i = base + threadIdx.x;
        const int v = b_block_scan(i < blocks ? sums[i] : 0, warp_sums);
        if (i < blocks) sums[i] = carry + v;
        if (threadIdx.x == 1023) total = v;
        __syncthreads();
        carry += total;
        __syncthreads();
    }
}

__global__ void b_add(int* out, std::size_t n, const int* sums) {
    const std::size_t i = (std::size_t)blockIdx.x * 1024 + threadIdx.x;
    if (blockIdx.x > 0 && i + 1 < n) out[i + 1] += sums[blockIdx.x - 1];
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static int* sums = nullptr;
    static std::size_t capacity = 0;
    const std::size_t blocks = (n + 1023) / 1024;
    if (blocks > capacity) {
        cudaFree(sums);
        cudaMalloc(&sums, blocks * sizeof(int));
        capacity = blocks;
    }
    b_tiles<<<blocks, 1024>>>(in, n, out, sums);
    b_sums<<<1, 1024>>>(sums, blocks);
    b_add<<<blocks, 1024>>>(out, n, sums);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    by_pieces(in, n, out, false);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    by_pieces(in, n, out, true);
}
