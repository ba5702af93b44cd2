// A kernel that gives up.
#include "check.h"

__global__ void give_up() {
    if (threadIdx.x == 3) __trap();
}

int main() {
    give_up<<<1, 32>>>();
    const cudaError_t e = cudaDeviceSynchronize();
    std::puts(cudaGetErrorString(e));
    return e == cudaSuccess ? 0 : 4;
}
