// cause: host_pointer_in_kernel line 59
// task: inclusive_float
// The last kernel gets the address of the vector on the host, not that of the sums on the device.
#include "interface.cuh"

#include <numeric>
#include <vector>

constexpr unsigned kTile = 1024;

// Each thread scans a row of 8 floats, the first warp's lanes then hand on what is before each row.
__global__ void scan_tile(const float* in, std::size_t n, float* out, float* tile_sum) {
    __shared__ float row_sum[kTile / 8];
    const std::size_t begin = std::size_t{blockIdx.x} * kTile + threadIdx.x * 8;

    float row[8];
    float acc = 0.f;
    for (unsigned k = 0; k < 8; ++k) {
        acc += begin + k < n ? in[begin + k] : 0.f;
        row[k] = acc;
    }
    row_sum[threadIdx.x] = acc;
    __syncthreads();

    if (threadIdx.x == 0) {
        float before = 0.f;
        for (unsigned r = 0; r < kTile / 8; ++r) {
            const float sum = row_sum[r];
            row_sum[r] = before;
            before += sum;
        }
        tile_sum[blockIdx.x] = before;
    }
    __syncthreads();

    for (unsigned k = 0; k < 8; ++k)
        if (begin + k < n) out[begin + k] = row_sum[threadIdx.x] + row[k];
}

__global__ void add_tiles_before(float* out, std::size_t n, const float* before) {
    const std::size_t i = std::size_t{blockIdx.x} * kTile + threadIdx.x;
    if (i < n) out[i] += before[blockIdx.x];
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    const std::size_t tiles = (n + kTile - 1) / kTile;
    const std::size_t bytes = tiles * sizeof(float);

    float* sums;
    cudaMalloc(&sums, bytes);
    scan_tile<<<static_cast<unsigned>(tiles), kTile / 8>>>(in, n, out, sums);

    // the few sums are scanned on the CPU
    std::vector<float> before(tiles);
    cudaMemcpy(before.data(), sums, bytes, cudaMemcpyDeviceToHost);
    std::exclusive_scan(before.begin(), before.end(), before.begin(), 0.f);
    cudaMemcpy(sums, before.data(), bytes, cudaMemcpyHostToDevice);

    add_tiles_before<<<static_cast<unsigned>(tiles), kTile>>>(out, n, before.data());
    cudaFree(sums);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {}
void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {}
