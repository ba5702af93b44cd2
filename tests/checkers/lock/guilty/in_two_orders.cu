// expect lock_order 4 7, deadlock 7; grid 2; block 1; budget 100000000
// Each block takes its own lock first, and then waits for the other's.
extern "C" __global__ void k(const int* in, int* out, int n) {
    while (atomicCAS(out + 64 + blockIdx.x, 0, 1) != 0) {}
    atomicAdd(out, 1);
    while (atomicAdd(out, 0) < 2) {}
    while (atomicCAS(out + 65 - blockIdx.x, 0, 1) != 0) {}
}
