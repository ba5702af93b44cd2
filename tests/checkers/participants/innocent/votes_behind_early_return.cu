// innocent; grid 2; block 32; n 40
// Votes and barriers of a warp leave out whoever has ended.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = 32 * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    const unsigned odd = __ballot_sync(0xffffffff, in[i] % 2);
    out[i] = __popc(odd);
    __syncwarp();
    out[i] += __any_sync(0xffffffff, in[i] > 5);
}
