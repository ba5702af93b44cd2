// expect barrier_divergence 7 5; grid 1; block 32; n 20
// Who has ended comes to no barrier any more: one mistake, told at the first one.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    if (t >= n) return;
    out[t] = in[t];
    __syncthreads();
    out[t] += 1;
    __syncthreads();
    out[t] += __shfl_sync(0xffffffff, in[t], 0);
}
