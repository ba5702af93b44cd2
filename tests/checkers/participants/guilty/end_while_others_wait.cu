// expect barrier_divergence 10 7; grid 1; block 32
// The lanes that wait are further down than those that end: these come later.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    int steps = 0;
    for (int k = t; k > 1; k = k % 2 == 0 ? k / 2 : 3 * k + 1) ++steps;
    if (steps > 20) {
        out[t] = steps;
    } else {
        __syncthreads();
        out[t] = -steps;
    }
}
