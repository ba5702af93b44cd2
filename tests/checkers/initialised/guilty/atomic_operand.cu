// expect uninitialised_read 9; grid 1; block 64
// What is added is garbage for the threads at the end.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[64];
    const int t = threadIdx.x;
    if (t + 1 < n && t < 50) s[t] = in[t];
    __syncthreads();
    const int twice =
        s[t] * 2;
    atomicAdd(&out[0], twice);
}
