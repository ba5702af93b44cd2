// innocent; grid 2; block 64
// The read and the compare-and-swap get at one word by different registers.
extern "C" __global__ void k(const int* in, int* out, int n) {
    atomicAdd(&out[0], in[threadIdx.x]);
    int old = out[5], assumed;
    do {
        assumed = old;
        old = atomicCAS(&out[5], assumed, assumed * 3 + 1);
    } while (old != assumed);
}
