// expect shared_race 6 6; grid 1; block 64
// Two elements go to each place, and happen to be equal.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[32];
    const int t = threadIdx.x;
    s[t % 32] = in[t] / 64;
    __syncthreads();
    if (t < 32) out[t] = s[t];
}
