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
    config.gridDim = 100000;  // they cannot all be resident
    EXPECT(cudaLaunchKernelEx(&config, rotate, device, 5) == cudaErrorCooperativeLaunchTooLarge);
    return 0;
}
