// expect lock_taken_twice 4 5, deadlock 5; grid 1; block 1; budget 100000000
// A thread waits for the lock that it holds.
extern "C" __global__ void k(const int* in, int* out, int n) {
    while (atomicCAS(out + 64, 0, 1) != 0) {}
    while (atomicCAS(out + 64 + in[0], 0, 1) != 0) {}
    out[0] = 1;
}
