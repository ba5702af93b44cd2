// expect lock_not_released 5, deadlock 5; grid 1; block 1; budget 100000000
// On the way back the lock is not given back.
extern "C" __global__ void k(const int* in, int* out, int n) {
    for (;;) {
        if (atomicCAS(out + 64, 0, 1) != 0) continue;
        if (atomicCAS(out + 65 + in[0], 1, 2) == 1) break;
    }
}
