// expect shared_race 7 6; grid 2; block 128
// Thread t reads what thread t + 1 has written, without a barrier.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int tile[128];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = in[i];
    out[i] = tile[(t + 32) % 128];
}
