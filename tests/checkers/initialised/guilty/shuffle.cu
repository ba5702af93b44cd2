// expect uninitialised_read 8; grid 1; block 32
// The upper lanes hold garbage, and the sum over the warp takes it in.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[32];
    const int t = threadIdx.x;
    if (t < 16) s[t] = in[t];
    __syncwarp();
    int sum = s[t];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, d);
    if (t == 0) out[0] = sum;
}
