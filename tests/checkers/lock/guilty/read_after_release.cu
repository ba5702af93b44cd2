// expect used_without_lock 16 9; grid 2; block 1; wrong_result
// Block 1 comes to the total when block 0 has given the lock back, and before it reads.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* const lock = out + 1024;
    volatile int* total = out;
    while (blockIdx.x == 1 && atomicAdd(out + 2, 0) == 0) {}
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    total[0] = total[0] + 1;
    __threadfence();
    atomicExch(lock, 0);
    __threadfence();
    atomicExch(out + 2 + blockIdx.x, 1);
    while (blockIdx.x == 0 && atomicAdd(out + 3, 0) == 0) {}
    __threadfence();
    out[16 + blockIdx.x] = total[0];
}
