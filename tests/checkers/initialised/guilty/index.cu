// expect uninitialised_read 8; grid 1; block 64
// The last table entries are never filled, and the threads behind them read where garbage says.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ unsigned place[64];
    const int t = threadIdx.x;
    if (t < 60) place[t] = t;
    __syncthreads();
    const unsigned to = place[t] % 64;
    out[t] = in[to];
}
