// expect shared_race 11 13; grid 1; block 128
// As the innocent one, but a thread of another warp keeps what it has loaded.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int sums[128];
    const int t = threadIdx.x;
    int total = 0;
    for (int first = 0; first < n; first += 128) {
        sums[t] = in[first + t];
        for (int d = 64; d > 0; d /= 2) {
            __syncthreads();
            if (t < d) sums[t] += sums[t + d];
        }
        if (t == 64) total += sums[0];
        __syncthreads();
    }
    if (t == 64) out[0] = total;
}
