// expect global_race 6 10; grid 2; block 1
// Block 0 comes first here and misses nothing; where it comes second, it may.
extern "C" __global__ void k(const int* in, int* out, int n) {
    if (blockIdx.x == 0) {
        while (atomicCAS(out + 64, 0, 1) != 0) {}
        out[0] = in[1];
    } else {
        while (atomicCAS(out + 64, 0, 1) != 0) {}
        __threadfence();
        out[1] = out[0] * 2;
    }
    __threadfence();
    atomicExch(out + 64, 0);
}
