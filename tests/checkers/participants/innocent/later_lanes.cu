// innocent; grid 1; block 32
// Some lanes are on their way for long; the others wait for them at the shuffle.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    int v = in[t];
    if (t >= 16)
        for (int k = 0; k < 300; ++k) v = 3 * v + in[k];
    __syncwarp();
    out[t] = __shfl_xor_sync(0xffffffff, v, 16);
}
