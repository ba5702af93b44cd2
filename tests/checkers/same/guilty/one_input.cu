// expect same_value_stores 7 7; grid 1; block 32
// A warning: all threads read the same word, so they have the same, whatever it is.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int sum = 0;
    for (int i = 0; i < 8; ++i) sum += in[i];
    // Every thread has the whole sum.
    out[7] = sum;
}
