// innocent; grid 8; block 1
// A lock properly used: fences on both sides of the critical section.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* lock = out + 64;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    out[0] += in[blockIdx.x];
    __threadfence();
    atomicExch(lock, 0);
}
