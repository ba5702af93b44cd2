// innocent; grid 2; block 64; n 100
// Those that are left find each other, and the lowest one speaks for all.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = 64 * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    const unsigned here = __activemask();
    const unsigned peers = __match_any_sync(here, in[i] % 3);
    const int leader = __ffs(peers) - 1;
    int first = 0;
    if (static_cast<int>(threadIdx.x % 32) == leader) first = in[i];
    out[i] = __shfl_sync(peers, first, leader);
}
