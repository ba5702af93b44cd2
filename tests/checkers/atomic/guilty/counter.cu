// expect missing_atomic 4 4; grid 1; block 32
// All lanes of one warp count in one word; each adds one to the same number.
extern "C" __global__ void k(const int* in, int* out, int n) {
    if (in[threadIdx.x] >= 0) ++out[0];
}
