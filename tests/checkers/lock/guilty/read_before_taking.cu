// expect used_without_lock 10 17; grid 2; block 1; wrong_result
// What block 0 has read is old when it gets the lock: block 1 adds twice, and the second time is lost.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* const lock = out + 1024;
    volatile int* total = out;
    for (int round = 0; round < 2 - (blockIdx.x == 0); ++round) {
        while (blockIdx.x == 0 && atomicAdd(out + 2, 0) < 1) {}
        while (round == 1 && atomicAdd(out + 3, 0) < 1) {}
        __threadfence();
        const int old = total[0];
        if (blockIdx.x == 0) {
            atomicAdd(out + 3, 1);
            while (atomicAdd(out + 2, 0) < 2) {}
        }
        while (atomicCAS(lock, 0, 1) != 0) {}
        __threadfence();
        total[0] = old + 1;
        __threadfence();
        atomicExch(lock, 0);
        __threadfence();
        if (blockIdx.x == 1) atomicAdd(out + 2, 1);
    }
}
