// expect lost_update 5 5; grid 1; block 32
// All lanes read 0 and store 1: that they store the same does not make it right.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* counter = out + in[0];
    *counter += 1;
}
