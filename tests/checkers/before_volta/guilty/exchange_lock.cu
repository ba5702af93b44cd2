// expect hangs_before_volta 7; grid 1; block 64
// By atomicExch, in shared memory.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int lock, sum;
    if (threadIdx.x == 0) lock = sum = 0;
    __syncthreads();
    while (atomicExch(&lock, 1) != 0) {}
    __threadfence_block();
    sum += in[threadIdx.x];
    __threadfence_block();
    atomicExch(&lock, 0);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = sum;
}
