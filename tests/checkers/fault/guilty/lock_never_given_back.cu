// expect deadlock 4, lock_not_released 4 4; grid 2; block 1; budget 100000000
// The second block waits for a lock that the first one keeps.
extern "C" __global__ void k(const int* in, int* out, int n) {
    while (atomicCAS(out + 64, 0, 1) != 0) {}
    __threadfence();
    atomicAdd(out, in[0]);
}
