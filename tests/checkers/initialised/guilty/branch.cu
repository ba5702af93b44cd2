// expect uninitialised_read 8; grid 1; block 64
// A flag that only one half of the block sets decides for all of it.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int flag[64];
    const int t = threadIdx.x;
    if (t < 32) flag[t] = in[t] > 3;
    __syncthreads();
    if (flag[t] != 0)
        for (int j = 0; j < in[t]; ++j) out[t] += in[j];
}
