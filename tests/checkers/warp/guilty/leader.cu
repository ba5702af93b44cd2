// expect missing_syncwarp 7 6; grid 2; block 32
// Lane 0 writes what the other lanes then read from global memory.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* own = out + 32 * blockIdx.x;
    const int t = threadIdx.x;
    if (t == 0) own[0] = in[blockIdx.x];
    out[1024 + blockIdx.x * 32 + t] = own[0];
}
