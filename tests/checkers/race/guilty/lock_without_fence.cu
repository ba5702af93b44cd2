// expect global_race 6 6; grid 4; block 1
// The lock is taken and given back, but nothing makes the sum visible before the lock is free.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* lock = out + 1;
    while (atomicCAS(lock, 0, 1) != 0) {}
    out[0] += in[blockIdx.x];
    atomicExch(lock, 0);
}
