// innocent; grid 4; block 1; seed 3
// All blocks take the two locks in the same order.
extern "C" __global__ void k(const int* in, int* out, int n) {
    while (atomicCAS(out + 64, 0, 1) != 0) {}
    while (atomicCAS(out + 65, 0, 1) != 0) {}
    atomicAdd(out, in[blockIdx.x]);
    atomicExch(out + 65, 0);
    atomicExch(out + 64, 0);
}
