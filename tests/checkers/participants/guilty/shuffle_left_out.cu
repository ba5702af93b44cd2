// expect barrier_divergence 6 5; grid 1; block 64
// The mask names all lanes, and half of them never come. What is read would be there.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x, lane = t % 32;
    if (lane < 20)
        out[t] = __shfl_sync(0xffffffff, in[t], 2);
}
