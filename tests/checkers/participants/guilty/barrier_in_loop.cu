// expect barrier_divergence 7 5; grid 1; block 32; n 72
// The barrier is in a loop, and some lanes go round more often than others.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int sum = 0;
    for (int k = threadIdx.x; k < n; k += 32) {
        sum += in[k];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
