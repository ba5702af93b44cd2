// cause: misaligned line 69
// task: exclusive_float
// The sums of the next level begin right behind those of this one, at any float; the kernel reads them as float4,
// whose address has to be a multiple of 16 bytes.
#include "interface.cuh"

constexpr unsigned T = 128;
constexpr unsigned TILE = 4 * T;

// Scans tiles of 512 with four elements per thread. in and out may be the same array.
__global__ void scan4(const float* in, float* out, size_t n, float* sums) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const size_t i = blockIdx.x * (size_t)TILE + 4 * threadIdx.x;

    float4 v = make_float4(0, 0, 0, 0);
    if (i + 4 <= n) {
        v = *reinterpret_cast<const float4*>(in + i);
    } else {
        if (i < n) v.x = in[i];
        if (i + 1 < n) v.y = in[i + 1];
        if (i + 2 < n) v.z = in[i + 2];
    }

    // exclusive within the thread, then the threads of the warp
    const float b = v.x, c = b + v.y, d = c + v.z, all = d + v.w;
    float scan = all;
    for (unsigned k = 1; k < 32; k *= 2) {
        const float other = __shfl_up_sync(0xffffffffu, scan, k);
        if (lane >= k) scan += other;
    }
    float mine = __shfl_up_sync(0xffffffffu, scan, 1);
    if (lane == 0) mine = 0;

    __shared__ float warps[T / 32];
    if (lane == 31) warps[warp] = scan;
    __syncthreads();
    float total = 0;
    for (unsigned w = 0; w < T / 32; ++w) {
        if (w == warp) mine += total;
        total += warps[w];
    }
    if (threadIdx.x == 0 && sums != nullptr) sums[blockIdx.x] = total;

    if (i + 4 <= n) {
        *reinterpret_cast<float4*>(out + i) = make_float4(mine, mine + b, mine + c, mine + d);
    } else {
        if (i < n) out[i] = mine;
        if (i + 1 < n) out[i + 1] = mine + b;
        if (i + 2 < n) out[i + 2] = mine + c;
    }
}

__global__ void add_base(float* out, size_t n, const float* base) {
    for (unsigned k = 0; k < 4; ++k) {
        const size_t i = blockIdx.x * (size_t)TILE + k * T + threadIdx.x;
        if (i < n) out[i] += base[blockIdx.x];
    }
}

// free: scratch memory from here on
static void scan_levels(const float* in, float* out, size_t n, float* free) {
    const size_t tiles = (n + TILE - 1) / TILE;
    if (tiles == 1) {
        scan4<<<1, T>>>(in, out, n, nullptr);
        return;
    }
    float* sums = free;
    scan4<<<(unsigned)tiles, T>>>(in, out, n, sums);
    scan_levels(sums, sums, tiles, sums + tiles);
    add_base<<<(unsigned)tiles, T>>>(out, n, sums);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    static float* scratch = nullptr;
    static size_t size = 0;
    const size_t wanted = n / 256 + 1024;  // enough for all levels
    if (wanted > size) {
        if (scratch) cudaFree(scratch);
        cudaMalloc(&scratch, wanted * sizeof(float));
        size = wanted;
    }
    scan_levels(in, out, n, scratch);
}
