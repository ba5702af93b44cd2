// innocent; grid 4; block 64
// Everyone sets the same bit: done twice, it is the same as once.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* bits = out;
    *bits = *bits | 2;
}
