// expect global_race 9 9; grid 12; block 1; seed 4
// The fence comes between the two locks, so it does nothing for the second.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int a = in[blockIdx.x] % 5, b = a + 8;
    while (atomicCAS(out + 64 + a, 0, 1) != 0) {}
    __threadfence();
    while (atomicCAS(out + 100, 0, 1) != 0) {}
    out[a] -= 1;
    out[7] += 1;
    __threadfence();
    atomicExch(out + 100, 0);
    atomicExch(out + 64 + a, 0);
}
