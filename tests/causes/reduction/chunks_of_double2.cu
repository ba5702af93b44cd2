// cause: misaligned line 47
// task: sum
// Each thread takes a chunk of consecutive elements by double2; where the length of a chunk is odd, every second chunk begins at an address that is no multiple of 16.
#include "interface.cuh"

// Each thread adds up its own chunk of the array: [first, last).
// Loads of two doubles at a time, because wide loads are faster.
__global__ void sum_chunks(const double* in, size_t n, size_t chunk, double* partial) {
    __shared__ double warp_sums[4];

    size_t thread = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    size_t first = min(thread * chunk, n);
    size_t last = min(first + chunk, n);

    double sum = 0;
    const double2* pairs = reinterpret_cast<const double2*>(in + first);
    size_t count = (last - first) / 2;
    for (size_t p = 0; p < count; p++) {
        double2 d = pairs[p];
        sum += d.x + d.y;
    }
    if ((last - first) % 2 == 1) sum += in[last - 1];

    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        partial[blockIdx.x] = warp_sums[0] + warp_sums[1] + warp_sums[2] + warp_sums[3];
}

__global__ void sum_partials(const double* partial, int count, double* out) {
    double sum = 0;
    for (int i = threadIdx.x; i < count; i += 32) sum += partial[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
    if (threadIdx.x == 0) *out = sum;
}

__device__ double partial_sums[264];

void reduce_sum(const double* in, std::size_t n, double* out) {
    const int blocks = 264, threads = 128;
    double* partial;
    cudaGetSymbolAddress((void**)&partial, partial_sums);

    size_t chunk = (n + blocks * threads - 1) / (blocks * threads);
    sum_chunks<<<blocks, threads>>>(in, n, chunk, partial);
    sum_partials<<<1, 32>>>(partial, blocks, out);
}

void reduce_max(const float* /*in*/, std::size_t /*n*/, float* /*out*/) {
    // TODO
}

void reduce_cubes(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}

void reduce_nested(const int* /*in*/, std::size_t /*n*/, long long* /*out*/) {
    // TODO
}
