// expect barrier_divergence 7 5; grid 2; block 32; n 50
// The lanes that have ended count as members, and the tree adds what they do not have.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= n) return;
    int v = in[i];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}
