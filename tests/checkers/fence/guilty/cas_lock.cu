// expect global_race 5 5; grid 4; block 1
// What comes before the unlock is fenced, what comes behind the lock is not.
extern "C" __global__ void k(const int* in, int* out, int n) {
    while (atomicCAS(out + 64, 0, 1) != 0) {}
    out[0] += in[blockIdx.x];
    __threadfence();
    atomicExch(out + 64, 0);
}
