// innocent; grid 4; block 64
// A barrier under a condition that is the same for all threads of the block.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t] = in[t];
    if (blockIdx.x % 2 == 0) __syncthreads();
    else __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}
