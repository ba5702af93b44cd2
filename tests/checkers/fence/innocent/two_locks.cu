// innocent; grid 12; block 1; seed 4
// Both locks first, in one order, then one fence for both.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int a = in[blockIdx.x] % 5, b = a + 1 + in[blockIdx.x] % 2;
    while (atomicCAS(out + 64 + a, 0, 1) != 0) {}
    while (atomicCAS(out + 64 + b, 0, 1) != 0) {}
    __threadfence();
    out[a] -= 1;
    out[b] += 1;
    __threadfence();
    atomicExch(out + 64 + b, 0);
    atomicExch(out + 64 + a, 0);
}
