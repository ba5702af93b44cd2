// Cooperative groups: tiles, coalesced threads, a grid barrier under launch attributes.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void tiles(int* out) {
    const cg::thread_block block = cg::this_thread_block();
    const auto tile = cg::tiled_partition<8>(block);
    const int sum = cg::reduce(tile, static_cast<int>(threadIdx.x), cg::plus<int>());
    if (tile.thread_rank() == 0) out[threadIdx.x / 8] = sum;
    if (threadIdx.x % 3 == 0) {
        const auto active = cg::coalesced_threads();
        if (active.thread_rank() == 0) atomicAdd(out + 31, active.size());
    }
}

__global__ void rotate(int* data, int rounds) {
    const cg::grid_group grid = cg::this_grid();
    const int n = static_cast<int>(grid.size()), i = static_cast<int>(grid.thread_rank());
    for (int r = 0; r < rounds; ++r) {
        const int value = data[(i + 1) % n];
        grid.sync();
        data[i] = value;
        grid.sync();
    }
}

/// The sum of all blocks' numbers, after all have met; with shared memory to fill a multiprocessor.
__global__ void sum_of_all(int* numbers, int* sums) {
    extern __shared__ int mine[];
    if (threadIdx.x == 0) numbers[blockIdx.x] = blockIdx.x + 1;
    cg::this_grid().sync();
    mine[threadIdx.x] = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) mine[threadIdx.x] += numbers[b];
    __syncthreads();
    for (unsigned t = 0; threadIdx.x == 0 && t < blockDim.x; ++t) sums[blockIdx.x] += mine[t];
}

/// The grid of the text books, and one block more.
void as_many_as_fit(int threads, size_t shared) {
    int on_each = 0, multiprocessors = 0, *numbers, *sums;
    CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&on_each, sum_of_all, threads, shared));
    EXPECT(on_each > 0);
    int blocks = on_each * multiprocessors;
    CUDA(cudaMallocManaged(&numbers, blocks * sizeof(int)));
    CUDA(cudaMallocManaged(&sums, blocks * sizeof(int)));
    for (int b = 0; b < blocks; ++b) sums[b] = 0;
    void* arguments[] = {&numbers, &sums};
    CUDA(cudaLaunchCooperativeKernel(sum_of_all, dim3(blocks), dim3(threads), arguments, shared, nullptr));
    CUDA(cudaDeviceSynchronize());
    for (int b = 0; b < blocks; ++b) EXPECT(sums[b] == blocks * (blocks + 1) / 2);
    EXPECT(cudaLaunchCooperativeKernel(sum_of_all, dim3(blocks + 1), dim3(threads), arguments, shared, nullptr) ==
           cudaErrorCooperativeLaunchTooLarge);
    (void)cudaGetLastError();
    CUDA(cudaFree(numbers));
    CUDA(cudaFree(sums));
}

int main() {
    int host[512], *device;
    CUDA(cudaMalloc(&device, sizeof host));
    CUDA(cudaMemset(device, 0, sizeof host));
    tiles<<<1, 64>>>(device);
    CUDA(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 8; ++t) EXPECT(host[t] == 8 * (8 * t) + 28);
    EXPECT(host[31] == 22);

    for (int i = 0; i < 512; ++i) host[i] = i;
    CUDA(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 4;
    config.blockDim = 128;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, rotate, device, 5));
    CUDA(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 512; ++i) EXPECT(host[i] == (i + 5) % 512);
    // Limited by blocks, by threads that are not whole warps, by threads, by shared memory.
    as_many_as_fit(32, 128);
    as_many_as_fit(200, 800);
    as_many_as_fit(256, 1024);
    as_many_as_fit(64, 20000);
    config.gridDim = 100000;  // they cannot all be resident
    EXPECT(cudaLaunchKernelEx(&config, rotate, device, 5) == cudaErrorCooperativeLaunchTooLarge);
    return 0;
}
