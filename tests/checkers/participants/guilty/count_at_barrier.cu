// expect barrier_divergence 7 6; grid 1; block 96; n 70
// A barrier that counts is a barrier.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    int large = 0;
    if (t < n)
        large = __syncthreads_count(in[t] > 10);
    if (t == 0) out[0] = large;
}
