// expect: inclusive_int=time_limit|deadlock
// at-most: inclusive_int=0
// limits: instructions=300000
// report: time_limit 11
// A kernel that stays on the device and waits for a flag that the host sets in a later call.
#include "interface.cuh"

__device__ volatile int flag;

__global__ void stay() {
    while (flag == 0) {
    }
}

void scan_inclusive_int(const int*, std::size_t, int*) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    stay<<<1, 1, 0, stream>>>();
}
