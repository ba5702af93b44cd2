// innocent; grid 8; block 64; seed 1
// As in a sample of NVIDIA's: all threads fence, one draws the ticket, all of the last block read.
__device__ unsigned retired;
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ bool is_last;
    const int t = threadIdx.x;
    if (t == 0) out[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    if (t == 0) is_last = atomicInc(&retired, gridDim.x) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    int sum = 0;
    for (unsigned b = t; b < gridDim.x; b += 64) sum += out[b];
    out[256 + t] = sum;
}
