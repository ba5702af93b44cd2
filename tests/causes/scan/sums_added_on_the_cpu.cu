// cause: stream_not_waited_for line 73 or 75
// task: exclusive_float
// The CPU scans the sums right after it has asked for their asynchronous copy; shows from the second tile on, n > 256.
#include "interface.cuh"

#include <cstddef>

void scan_inclusive_int(const int*, std::size_t, int*) {}
void scan_exclusive_int(const int*, std::size_t, int*) {}
void scan_inclusive_float(const float*, std::size_t, float*) {}

namespace {

constexpr int kTile = 256;

__device__ float warp_inclusive(float x) {
    for (int d = 1; d < 32; d *= 2) {
        const float y = __shfl_up_sync(0xffffffffu, x, d);
        if (threadIdx.x % 32 >= d) x += y;
    }
    return x;
}

__global__ void tile_scan(const float* in, std::size_t n, float* out, float* sums) {
    __shared__ float of_warp[kTile / 32];
    const std::size_t i = std::size_t(blockIdx.x) * kTile + threadIdx.x;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    const float inclusive = warp_inclusive(i < n ? in[i] : 0.0f);
    float exclusive = __shfl_up_sync(0xffffffffu, inclusive, 1);
    if (lane == 0) exclusive = 0.0f;
    if (lane == 31) of_warp[warp] = inclusive;
    __syncthreads();

    float before = 0.0f;
    for (int w = 0; w < warp; ++w) before += of_warp[w];
    if (i < n) out[i] = before + exclusive;
    if (threadIdx.x == kTile - 1) sums[blockIdx.x] = before + inclusive;
}

__global__ void shift_tiles(float* out, std::size_t n, const float* offsets) {
    const std::size_t i = std::size_t(blockIdx.x) * kTile + threadIdx.x;
    if (i < n) out[i] += offsets[blockIdx.x];
}

struct Workspace {
    cudaStream_t stream;
    float* device = nullptr;
    float* host = nullptr;  // pinned, so that the copies are really asynchronous
    std::size_t tiles = 0;

    Workspace() { cudaStreamCreate(&stream); }

    void reserve(std::size_t wanted) {
        if (wanted <= tiles) return;
        cudaFree(device);
        cudaFreeHost(host);
        cudaMalloc(&device, wanted * sizeof(float));
        cudaMallocHost(&host, wanted * sizeof(float));
        tiles = wanted;
    }
};

}  // namespace

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    static Workspace ws;
    const std::size_t tiles = (n + kTile - 1) / kTile;
    const std::size_t bytes = tiles * sizeof(float);
    ws.reserve(tiles);

    tile_scan<<<unsigned(tiles), kTile, 0, ws.stream>>>(in, n, out, ws.device);
    cudaMemcpyAsync(ws.host, ws.device, bytes, cudaMemcpyDeviceToHost, ws.stream);

    float running = 0.0f;
    for (std::size_t k = 0; k < tiles; ++k) {
        const float sum = ws.host[k];
        ws.host[k] = running;
        running += sum;
    }

    cudaMemcpyAsync(ws.device, ws.host, bytes, cudaMemcpyHostToDevice, ws.stream);
    shift_tiles<<<unsigned(tiles), kTile, 0, ws.stream>>>(out, n, ws.device);
}
