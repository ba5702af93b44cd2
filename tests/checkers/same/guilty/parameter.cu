// expect same_value_stores 4 4; grid 2; block 32
// A warning: the kernel's own parameter is the same in all threads.
extern "C" __global__ void k(const int* in, int* out, int n) {
    out[7] = 3 * n + 1;
}
