// expect: cubes=accepted
// A tree of additions by offset and mask: in each step offset doubles and mask gets one more bit, and
// the threads whose number has none of these bits add. The host adds the few sums of the blocks.
#include "interface.cuh"

constexpr int block_count = 32, thread_count = 256;

__global__ void sum_of_cubes(const int* in, std::size_t n, unsigned long long* result) {
    extern __shared__ unsigned long long shared[];
    const int tid = threadIdx.x;
    shared[tid] = 0;
    for (std::size_t i = blockIdx.x * thread_count + tid; i < n; i += block_count * thread_count) {
        const auto x = static_cast<unsigned long long>(static_cast<long long>(in[i]));
        shared[tid] += x * x * x;
    }
    __syncthreads();
    for (int offset = 1, mask = 1; offset < thread_count; offset += offset, mask += offset) {
        if ((tid & mask) == 0) shared[tid] += shared[tid + offset];
        __syncthreads();
    }
    if (tid == 0) result[blockIdx.x] = shared[0];
}

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    unsigned long long sums[block_count], *device_sums = nullptr, total = 0;
    cudaMalloc(&device_sums, sizeof sums);
    sum_of_cubes<<<block_count, thread_count, thread_count * sizeof *sums>>>(in, n, device_sums);
    cudaMemcpy(sums, device_sums, sizeof sums, cudaMemcpyDeviceToHost);
    cudaFree(device_sums);
    for (const unsigned long long sum : sums) total += sum;
    cudaMemcpy(out, &total, sizeof total, cudaMemcpyHostToDevice);
}
