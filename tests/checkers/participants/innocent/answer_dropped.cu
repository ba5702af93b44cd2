// innocent; grid 2; block 32; n 50
// Each lane asks, and takes the answer only where the other has an element.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x, i = 32 * blockIdx.x + t;
    const unsigned some = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    const int count = __popc(some);
    int v = in[i];
    for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_down_sync(some, v, d);
        if (t + d < count) v += other;
    }
    out[i] = v;
}
