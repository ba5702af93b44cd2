// innocent; grid 16; block 64
// The last block to finish adds up the partial sums and resets the ticket.
__device__ unsigned ticket;
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ bool last;
    const int t = threadIdx.x;
    if (t == 0) {
        out[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        last = atomicAdd(&ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    if (t < gridDim.x) out[256 + t] = out[t];
    if (t == 0) ticket = 0;
}
