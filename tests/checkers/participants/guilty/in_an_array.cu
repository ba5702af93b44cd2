// expect inactive_lane_read 8 5; grid 1; block 32
// The answer waits in a local array until it is stored.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    if (t < 8) {
        int a[4] = {1, 2, 3, 4};
        const int v = in[t];
        a[v & 3] = __shfl_down_sync(0xff, v, 8);
        out[t] = a[(v + n) & 3];
    }
}
