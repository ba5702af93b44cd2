// innocent; grid 1; block 32
// The upper lanes hold garbage, and whoever would take it in takes a zero, or votes without it.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[32];
    const int t = threadIdx.x;
    if (t < 16) s[t] = in[t];
    __syncwarp();
    const int mine = s[t];
    int sum = t < 16 ? mine : 0;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, d);
    const int other = __shfl_xor_sync(0xFFFFFFFFu, mine, 8);
    const unsigned votes = __ballot_sync(0xFFFFFFFFu, mine > 3) & 0xFFFFu;
    const bool any = __any_sync(0xFFFFFFFFu, t < 16 && mine == 5);
    out[32 + t] = t < 16 ? other : 0;
    if (t == 0) out[0] = sum + votes + any;
}
