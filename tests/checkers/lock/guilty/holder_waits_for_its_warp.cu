// expect lock_per_lane 4 5, deadlock 4, hangs_before_volta 4; grid 1; block 32; budget 100000000
// The lane that holds the lock waits for those that wait for it.
extern "C" __global__ void k(const int* in, int* out, int n) {
    while (atomicCAS(out + 64, 0, 1) != 0) {}
    __syncwarp();
    atomicExch(out + 64, 0);
}
