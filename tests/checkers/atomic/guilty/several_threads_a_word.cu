// expect missing_atomic 4 4; grid 1; block 64
// Four threads have one word, whatever the data are.
extern "C" __global__ void k(const int* in, int* out, int n) {
    out[threadIdx.x / 4] += in[threadIdx.x];
}
