// cause: elements_ignored line 64
// task: inclusive_float
// The sums of the blocks are scanned by a single block of 512: sums beyond the 512th are left as they are, so n above 262144 goes wrong.

#include "interface.cuh"

// inclusive scan of floats: tiles -> sums of the tiles -> add
//
// double buffering: a step reads one array and writes the other

static constexpr int kBlock = 512;

struct DoubleBuffer {
    float a[kBlock];
    float b[kBlock];
};

__device__ float scan_block(DoubleBuffer& buffer, float x) {
    float* from = buffer.a;
    float* to = buffer.b;
    const int t = threadIdx.x;
    from[t] = x;
    __syncthreads();
    for (int step = 1; step < kBlock; step <<= 1) {
        to[t] = t >= step ? from[t - step] + from[t] : from[t];
        __syncthreads();
        float* swap = from;
        from = to;
        to = swap;
    }
    return from[t];
}

__global__ void scan_tiles(const float* in, std::size_t n, float* out, float* sums) {
    __shared__ DoubleBuffer buffer;
    const std::size_t i = blockIdx.x * std::size_t(kBlock) + threadIdx.x;
    const float result = scan_block(buffer, i < n ? in[i] : 0.0f);
    if (i < n) out[i] = result;
    if (sums && threadIdx.x == kBlock - 1) sums[blockIdx.x] = result;
}

__global__ void add_sums(float* out, std::size_t n, const float* sums) {
    const std::size_t i = blockIdx.x * std::size_t(kBlock) + threadIdx.x;
    if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

// memory for the sums, all levels in one piece; it only grows
static float* scratch(std::size_t floats) {
    static float* memory = nullptr;
    static std::size_t size = 0;
    if (floats > size) {
        cudaFree(memory);
        cudaMalloc(&memory, floats * sizeof(float));
        size = floats;
    }
    return memory;
}

static void prefix_sums(const float* in, std::size_t n, float* out, float* free_memory) {
    const std::size_t tiles = (n + kBlock - 1) / kBlock;
    float* sums = free_memory;
    scan_tiles<<<(unsigned)tiles, kBlock>>>(in, n, out, sums);
    if (tiles > 1) {
        scan_tiles<<<1, kBlock>>>(sums, tiles, sums, nullptr);
        add_sums<<<(unsigned)tiles, kBlock>>>(out, n, sums);
    }
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    // a level needs 1/512 of the one before, and at least one place
    prefix_sums(in, n, out, scratch(n / (kBlock - 1) + 16));
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_exclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
