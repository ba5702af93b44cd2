// innocent; grid 16; block 64; seed 3
// Every thread writes and fences its own part, then one thread takes the ticket.
__device__ unsigned ticket;
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ bool last;
    const int t = threadIdx.x;
    out[blockIdx.x * 64 + t] = in[t];
    __threadfence();
    __syncthreads();
    if (t == 0) last = atomicAdd(&ticket, 1) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += out[b * 64 + t];
    out[2048 + t] = sum;
}
