// expect same_value_stores 6 6; grid 1; block 64
// All lanes of a warp compute one quotient from the same two words.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int warp = threadIdx.x / 32;
    const int* const weight = in + 100;
    out[warp] = in[warp + 7] / weight[warp];
}
