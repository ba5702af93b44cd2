// expect uninitialised_read 8; grid 2; block 64
// Only the first half of the shared array is filled.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[128];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[t + 64] + s[t];
}
