// expect global_race 6 6; grid 4; block 1
// The fence behind the lock is the block's, and the lock is the grid's.
extern "C" __global__ void k(const int* in, int* out, int n) {
    while (atomicCAS(out + 64, 0, 1) != 0) {}
    __threadfence_block();
    out[0] += in[blockIdx.x];
    __threadfence();
    atomicExch(out + 64, 0);
}
