// expect missing_atomic 5 6, missing_atomic 6 6; grid 3; block 1
// The three steps of an addition, written apart.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int place = in[blockIdx.x] / 4;
    const int old = out[place];
    out[place] = old + in[blockIdx.x + 1];
}
