// expect lock_not_initialised 4, deadlock 4; grid 1; block 1; budget 100000000
// A lock that is free when it is 7.
extern "C" __global__ void k(const int* in, int* out, int n) {
    while (atomicCAS(out + 64, 7, 1) != 7) {}
    out[0] = in[0];
}
