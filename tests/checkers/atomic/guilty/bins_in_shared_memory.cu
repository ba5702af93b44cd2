// expect missing_atomic 8 8; grid 2; block 128
// A histogram of each block without atomics.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int bins[16];
    const int t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    bins[in[t] * 7 % 16] += 1;
    __syncthreads();
    if (t < 16) atomicAdd(out + t, bins[t]);
}
