// expect global_race 6 6; grid 4; block 1
// The fence before the unlock is the block's.
extern "C" __global__ void k(const int* in, int* out, int n) {
    while (atomicCAS(out + 64, 0, 1) != 0) {}
    __threadfence();
    out[0] += in[blockIdx.x];
    __threadfence_block();
    atomicExch(out + 64, 0);
}
