// Several translation units: functions, variables and kernels of linked_other.cu.
#include "linked.h"

#include "check.h"

static __device__ int own = 100;  // linked_other.cu has one of this name, too
__device__ int twice(int x) { return 2 * x; }

__global__ void use(int* out) {
    out[threadIdx.x] = cube(threadIdx.x) + shared_value + own;
    if (threadIdx.x == 0) printf("one: %d\n", limits[1]);
}

int main() {
    int out[4], *device;
    CUDA(cudaMalloc(&device, sizeof out));
    const int value = 7;
    CUDA(cudaMemcpyToSymbol(shared_value, &value, sizeof value));
    use<<<1, 4>>>(device);
    CUDA(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; ++i) EXPECT(out[i] == i * i * i + 7 + 100);
    run_other(device);
    CUDA(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; ++i) EXPECT(out[i] == 2 * i + 200);
    CUDA(cudaFree(device));
    return 0;
}
