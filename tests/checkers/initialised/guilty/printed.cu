// expect uninitialised_read 7; grid 1; block 4
// Garbage is shown.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ float s[4];
    if (threadIdx.x < 2) s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    const double shown = s[threadIdx.x];
    if (threadIdx.x == 3) printf("%d: %f\n", in[3], shown);
}
