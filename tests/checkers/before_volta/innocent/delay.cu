// innocent; grid 1; block 32
// A loop that waits for a time, not for another thread.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const long long start = clock64();
    while (clock64() - start < 400000) {}
    out[threadIdx.x] = in[threadIdx.x];
}
