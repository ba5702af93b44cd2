// expect: inclusive_int=accepted exclusive_float=accepted
// One cooperative launch of as many blocks as the device holds at once. Each block scans a stretch,
// all meet, one block scans the totals, all meet again and add what came before their stretch.
#include "interface.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr unsigned threads = 128;

/// Inclusive, over the block.
template <class T> __device__ T scan_block(T value, T* s) {
    s[threadIdx.x] = value;
    for (unsigned distance = 1; distance < threads; distance *= 2) {
        __syncthreads();
        const T left = threadIdx.x >= distance ? s[threadIdx.x - distance] : T{};
        __syncthreads();
        s[threadIdx.x] += left;
    }
    __syncthreads();
    return s[threadIdx.x];
}

template <class T, bool inclusive> __global__ void scan_all(const T* in, std::size_t n, T* out, T* totals) {
    __shared__ T s[threads];
    const cg::grid_group grid = cg::this_grid();
    const std::size_t tiles = (n + threads - 1) / threads, each = (tiles + gridDim.x - 1) / gridDim.x;
    const std::size_t first = blockIdx.x * each * threads;
    const std::size_t past = first + each * threads < n ? first + each * threads : n;
    T before = T{};
    for (std::size_t at = first; at < past; at += threads) {
        const std::size_t i = at + threadIdx.x;
        const T value = i < past ? in[i] : T{};
        const T scanned = scan_block(value, s);
        T mine = before + scanned;
        if (!inclusive) mine = threadIdx.x == 0 ? before : before + s[threadIdx.x - 1];
        if (i < past) out[i] = mine;
        before += s[threads - 1];
        __syncthreads();
    }
    if (threadIdx.x == 0) totals[blockIdx.x] = before;
    grid.sync();
    if (blockIdx.x == 0) {
        T sum = T{};
        for (unsigned at = 0; at < gridDim.x; at += threads) {
            const unsigned b = at + threadIdx.x;
            const T total = b < gridDim.x ? totals[b] : T{};
            scan_block(total, s);
            if (b < gridDim.x) totals[b] = threadIdx.x == 0 ? sum : sum + s[threadIdx.x - 1];
            sum += s[threads - 1];
            __syncthreads();
        }
    }
    grid.sync();
    if (blockIdx.x == 0) return;
    for (std::size_t i = first + threadIdx.x; i < past; i += threads) out[i] += totals[blockIdx.x];
}

template <class T, bool inclusive> void scan(const T* in, std::size_t n, T* out) {
    int on_each = 0, multiprocessors = 0;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, scan_all<T, inclusive>, threads, 0);
    T* totals;
    cudaMalloc(&totals, sizeof(T) * on_each * multiprocessors);
    void* arguments[] = {&in, &n, &out, &totals};
    cudaLaunchCooperativeKernel(scan_all<T, inclusive>, dim3(on_each * multiprocessors), dim3(threads), arguments, 0,
                                nullptr);
    cudaFree(totals);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan<int, true>(in, n, out); }
void scan_exclusive_float(const float* in, std::size_t n, float* out) { scan<float, false>(in, n, out); }
