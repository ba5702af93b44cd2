// expect global_race 11 6; grid 4; block 64
// The last block adds up what the others have written, but nobody has made that visible.
__device__ unsigned ticket;
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ bool last;
    if (threadIdx.x == 0) out[blockIdx.x] = in[blockIdx.x];
    if (threadIdx.x == 0) last = atomicAdd(&ticket, 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned b = 0; b < gridDim.x; ++b) sum += out[b];
        out[100] = sum;
    }
}
