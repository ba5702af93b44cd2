// innocent; grid 1; block 1; budget 100000000
// Asks often and in vain, and then goes on.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* flag = out + 64;
    int asked = 0;
    while (*flag == 0 && asked < 8000) ++asked;
    out[0] = asked;
}
