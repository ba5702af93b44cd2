// expect out_of_bounds 6; grid 1; block 64
// One more than the array has.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    s[t + 1] = in[t];
    __syncthreads();
    out[t] = s[t];
}
