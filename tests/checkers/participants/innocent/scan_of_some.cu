// innocent; grid 1; block 40
// The last warp has eight lanes, and a lane of a scan asks only those below itself.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x, lane = t % 32;
    int v = in[t];
    for (int d = 1; d < 32; d *= 2) {
        const int below = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d) v += below;
    }
    out[t] = v;
}
