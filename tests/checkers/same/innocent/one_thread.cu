// innocent; grid 1; block 64
// One thread stores for all.
extern "C" __global__ void k(const int* in, int* out, int n) {
    if (threadIdx.x == 9) out[7] = in[threadIdx.x] / 64;
}
