// expect missing_atomic 4 4; grid 3; block 1
// The same by a function: read, compare, write.
extern "C" __global__ void k(const int* in, int* out, int n) {
    out[n - n] = max(out[n - n], in[blockIdx.x + 5]);
}
