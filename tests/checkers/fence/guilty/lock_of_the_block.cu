// expect global_race 6 6, global_race 4 8; grid 4; block 1
// All fences are there, but the atomics are those of the block.
extern "C" __global__ void k(const int* in, int* out, int n) {
    while (atomicCAS_block(out + 64, 0, 1) != 0) {}
    __threadfence();
    out[0] += in[blockIdx.x];
    __threadfence();
    atomicExch_block(out + 64, 0);
}
