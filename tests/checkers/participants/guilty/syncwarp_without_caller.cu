// expect mask_without_caller 6; grid 1; block 32
// One thread more than the mask names comes to the barrier of the warp.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    const unsigned some = __ballot_sync(0xffffffff, t < 10);
    if (t <= 10) __syncwarp(some);
    out[t] = in[t];
}
