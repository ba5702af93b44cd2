// expect global_race 5 8; grid 4; block 1
// The lock is given back by a plain store, which the compiler may move.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* lock = out + 64;
    while (atomicCAS(lock, 0, 1) != 0) {}
    atomicAdd(out, in[blockIdx.x]);
    __threadfence();
    *lock = 0;
}
