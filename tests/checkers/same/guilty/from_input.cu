// expect global_race 5 5; grid 1; block 64
// The first numbers are all 0 by 64, so all threads store 0: with other numbers they would not.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = threadIdx.x;
    out[7] = in[i] / 64;
}
