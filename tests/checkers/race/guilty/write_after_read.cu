// expect shared_race 11 10; grid 1; block 128
// The second barrier of the loop is missing: the tile is overwritten while others read it.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int tile[128];
    const int t = threadIdx.x;
    int sum = 0;
    tile[t] = in[t];
    for (int r = 1; r < 4; ++r) {
        __syncthreads();
        sum += tile[(t + 64) % 128];
        tile[t] = in[t + 128 * r];
    }
    out[t] = sum;
}
