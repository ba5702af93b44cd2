// An assertion of a kernel: the error that it leaves is for good.
#include <cassert>

#include "check.h"

__global__ void check_positive(const int* data) {
    const int value = data[threadIdx.x];
    assert(value >= 0);
}

int main() {
    int host[32] = {}, *device;
    host[5] = -1;
    CUDA(cudaMalloc(&device, sizeof host));
    CUDA(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    check_positive<<<1, 32>>>(device);
    EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
    EXPECT(cudaFree(device) == cudaErrorAssert);
    return 3;
}
