// innocent; grid 2; block 64
// An exchange is in order for any value.
extern "C" __global__ void k(const int* in, int* out, int n) {
    atomicExch(out + 7, in[threadIdx.x] / 64);
}
