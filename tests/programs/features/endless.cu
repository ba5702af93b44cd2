// A kernel that waits for what never comes.
#include "check.h"

__global__ void wait(volatile int* flag) {
    while (*flag == 0) {
    }
}

int main() {
    int* flag;
    CUDA(cudaMalloc(&flag, sizeof(int)));
    CUDA(cudaMemset(flag, 0, sizeof(int)));
    std::puts("waiting");
    std::fflush(stdout);
    wait<<<1, 32>>>(flag);
    return cudaDeviceSynchronize() == cudaErrorLaunchTimeout ? 6 : 1;
}
