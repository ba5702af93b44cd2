// cause: in_place line 73 or 75
// task: exclusive_int
// the inclusive scan is moved by one place within the same array, where a neighbour may be overwritten before it is read
#include "interface.cuh"

// exclusive = inclusive, moved right by one.

#define FULL 0xffffffffu
static const unsigned NT = 512;

static unsigned ceil_div(std::size_t a, std::size_t b) { return (unsigned)((a + b - 1) / b); }

// scratch memory that is kept from call to call, one piece per slot
static int* scratch(int slot, std::size_t count) {
    static int* memory[4] = {};
    static std::size_t capacity[4] = {};
    if (count > capacity[slot]) {
        cudaFree(memory[slot]);
        cudaMalloc(&memory[slot], count * sizeof(int));
        capacity[slot] = count;
    }
    return memory[slot];
}

__device__ int warp_scan(int v) {
    const int lane = threadIdx.x & 31;
    for (int d = 1; d < 32; d <<= 1) {
        const int left = __shfl_up_sync(FULL, v, d);
        if (lane >= d) v += left;
    }
    return v;
}

__global__ void scan_blocks(const int* in, std::size_t n, int* out, int* block_sum) {
    __shared__ int warp_sum[NT / 32];
    const std::size_t i = (std::size_t)blockIdx.x * NT + threadIdx.x;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    int v = warp_scan(i < n ? in[i] : 0);
    if (lane == 31) warp_sum[warp] = v;
    __syncthreads();
    if (warp == 0) {
        const int s = warp_scan(lane < NT / 32 ? warp_sum[lane] : 0);
        if (lane < NT / 32) warp_sum[lane] = s;
    }
    __syncthreads();
    if (warp > 0) v += warp_sum[warp - 1];

    if (i < n) out[i] = v;
    if (threadIdx.x == NT - 1) block_sum[blockIdx.x] = v;
}

__global__ void add_sums(int* out, std::size_t n, const int* block_sum) {
    const std::size_t i = ((std::size_t)blockIdx.x + 1) * NT + threadIdx.x;
    if (i < n) out[i] += block_sum[blockIdx.x];
}

static void inclusive(const int* in, std::size_t n, int* out, int level) {
    const unsigned blocks = ceil_div(n, NT);
    int* sums = scratch(level, blocks);
    scan_blocks<<<blocks, NT>>>(in, n, out, sums);
    if (blocks == 1) return;
    inclusive(sums, blocks, sums, level + 1);
    add_sums<<<blocks - 1, NT>>>(out, n, sums);
}

__global__ void move_right(const int* from, std::size_t n, int* to) {
    const std::size_t i = (std::size_t)blockIdx.x * NT + threadIdx.x;
    if (i < n) to[i] = i == 0 ? 0 : from[i - 1];
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    int* sums = out;
    inclusive(in, n, sums, 1);
    move_right<<<ceil_div(n, NT), NT>>>(sums, n, out);
}

void scan_inclusive_int(const int* /*in*/, std::size_t /*n*/, int* /*out*/) {
    // TODO: inclusive(in, n, out, 1)
}

void scan_inclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void scan_exclusive_float(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}
