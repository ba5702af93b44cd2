// Pinned, mapped and registered host memory.
#include "check.h"

#include <cstring>
#include <vector>

__global__ void increment(int* data, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) ++data[i];
}

int main() {
    const int n = 3000;
    int *mapped, *device;
    CUDA(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
    for (int i = 0; i < n; ++i) mapped[i] = i;
    CUDA(cudaHostGetDevicePointer(&device, mapped, 0));
    increment<<<(n + 127) / 128, 128>>>(device, n);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) EXPECT(mapped[i] == i + 1);
    CUDA(cudaFreeHost(mapped));

    std::vector<int> own(n);
    for (int i = 0; i < n; ++i) own[i] = 3 * i;
    CUDA(cudaHostRegister(own.data(), n * sizeof(int), cudaHostRegisterMapped));
    EXPECT(cudaHostRegister(own.data(), 4, 0) == cudaErrorHostMemoryAlreadyRegistered);
    EXPECT(cudaGetLastError() == cudaErrorHostMemoryAlreadyRegistered);
    EXPECT(own[n - 1] == 3 * (n - 1));
    CUDA(cudaHostGetDevicePointer(&device, own.data(), 0));
    increment<<<(n + 127) / 128, 128>>>(device, n);
    CUDA(cudaDeviceSynchronize());
    own[0] = 10;
    increment<<<(n + 127) / 128, 128>>>(device, n);
    CUDA(cudaDeviceSynchronize());
    EXPECT(own[0] == 11 && own[1] == 5 && own[n - 1] == 3 * (n - 1) + 2);
    CUDA(cudaHostUnregister(own.data()));
    EXPECT(own[0] == 11 && own[n - 1] == 3 * (n - 1) + 2);
    own.resize(4 * n);

    int* pinned;
    CUDA(cudaMallocHost(&pinned, n * sizeof(int)));
    std::memset(pinned, 0, n * sizeof(int));
    CUDA(cudaMalloc(&device, n * sizeof(int)));
    CUDA(cudaMemcpyAsync(device, pinned, n * sizeof(int), cudaMemcpyHostToDevice));
    increment<<<(n + 127) / 128, 128>>>(device, n);
    CUDA(cudaMemcpyAsync(pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    CUDA(cudaDeviceSynchronize());
    EXPECT(pinned[0] == 1 && pinned[n - 1] == 1);
    cudaPointerAttributes a;
    CUDA(cudaPointerGetAttributes(&a, pinned));
    EXPECT(a.type == cudaMemoryTypeHost);
    CUDA(cudaFreeHost(pinned));
    CUDA(cudaFree(device));
    return 0;
}
