// innocent; grid 4; block 1; seed 3
// In different orders, but nobody keeps a lock while waiting for another one.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* const first = out + 64 + blockIdx.x % 2;
    int* const second = out + 65 - blockIdx.x % 2;
    for (;;) {
        if (atomicCAS(first, 0, 1) != 0) continue;
        if (atomicCAS(second, 0, 1) == 0) break;
        atomicExch(first, 0);
    }
    atomicAdd(out, in[blockIdx.x]);
    atomicExch(second, 0);
    atomicExch(first, 0);
}
