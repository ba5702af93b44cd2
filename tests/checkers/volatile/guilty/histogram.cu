// expect lost_update 8 8, missing_syncwarp 8 8; grid 1; block 128
// volatile in place of an atomic, in shared memory.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ volatile int bins[8];
    const int t = threadIdx.x;
    if (t < 8) bins[t] = 0;
    __syncthreads();
    bins[in[t] % 8] += 1;
    __syncthreads();
    if (t < 8) out[t] = bins[t];
}
