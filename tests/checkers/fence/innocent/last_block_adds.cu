// innocent; grid 4; block 32
// All threads read the word; behind a ticket one thread of the last block adds to it.
__device__ int tickets;
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int last;
    out[32 + blockIdx.x * 32 + threadIdx.x] = out[0];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(&tickets, 1);
        __threadfence();
    }
    __syncthreads();
    if (last == gridDim.x - 1 && threadIdx.x == 9) out[0] = out[0] + 1;
}
