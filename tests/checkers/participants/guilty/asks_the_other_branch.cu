// expect inactive_lane_read 7 6; grid 1; block 32
// The other half of the warp is on the other side of the branch.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    int v = in[t];
    if (t < 16)
        v = __shfl_xor_sync(0x0000ffff, v, 16);
    else
        v *= 2;
    out[t] = v;
}
