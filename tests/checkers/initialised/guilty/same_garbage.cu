// expect same_value_stores 6 6, uninitialised_read 6; grid 1; block 2
// Two threads store the same word to one place, but it is a word that nobody has written.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int tile[10];
    if (n < 0) tile[0] = n;
    *out = tile[in[3]];
}
