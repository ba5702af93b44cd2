// expect inactive_lane_read 6; grid 1; block 32
// Both halves are there, but each one's mask names only itself.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    const unsigned half = t < 16 ? 0x0000ffffu : 0xffff0000u;
    const int other = __shfl_xor_sync(half, in[t], 16);
    out[t] = other;
}
