// cause: not_a_power_of_two line 66
// task: exclusive_float
// A short array, and the array of the sums, gets a tree of just its own size, but the tree only works for powers of two.

#include "interface.cuh"

#include <algorithm>

// Work-efficient exclusive scan (up the tree, clear the root, down the tree).
// One block scans a tile; a thread owns two elements.

const int MAX_TILE = 1024;

__global__ void treeScan(const float* in, float* out, float* sums, size_t n, int tile) {
    extern __shared__ float node[];
    const int t = threadIdx.x;
    const size_t base = (size_t)blockIdx.x * tile;

    for (int k = t; k < tile; k += blockDim.x) node[k] = base + k < n ? in[base + k] : 0.0f;

    // up: partial sums
    int dist = 1;
    for (int active = tile / 2; active > 0; active /= 2) {
        __syncthreads();
        if (t < active) {
            const int l = dist * (2 * t + 1) - 1;
            const int r = dist * (2 * t + 2) - 1;
            node[r] += node[l];
        }
        dist *= 2;
    }
    __syncthreads();

    if (t == 0) {
        if (sums) sums[blockIdx.x] = node[tile - 1];
        node[tile - 1] = 0.0f;
    }

    // down: left child gets what the parent has, right child the left's sum on top
    for (int active = 1; active < tile; active *= 2) {
        dist /= 2;
        __syncthreads();
        if (t < active) {
            const int l = dist * (2 * t + 1) - 1;
            const int r = dist * (2 * t + 2) - 1;
            const float sum = node[l];
            node[l] = node[r];
            node[r] += sum;
        }
    }
    __syncthreads();

    for (int k = t; k < tile; k += blockDim.x)
        if (base + k < n) out[base + k] = node[k];
}

__global__ void addBase(float* out, const float* sums, size_t n, int tile) {
    const size_t base = (size_t)blockIdx.x * tile;
    const float add = sums[blockIdx.x];
    for (int k = threadIdx.x; k < tile; k += blockDim.x)
        if (base + k < n) out[base + k] += add;
}

static void scanAnySize(const float* in, float* out, size_t n) {
    // no threads for elements that are not there
    const int tile = (int)std::min<size_t>(std::max<size_t>(n, 2), MAX_TILE);
    const int threads = tile / 2;
    const size_t bytes = tile * sizeof(float);
    const unsigned tiles = (unsigned)((n + tile - 1) / tile);

    float* sums = nullptr;
    if (tiles > 1) cudaMalloc(&sums, tiles * sizeof(float));
    treeScan<<<tiles, threads, bytes>>>(in, out, sums, n, tile);
    if (tiles > 1) {
        scanAnySize(sums, sums, tiles);
        addBase<<<tiles, threads>>>(out, sums, n, tile);
        cudaFree(sums);
    }
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    scanAnySize(in, out, n);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
