// innocent; grid 4; block 64
// Everyone who finds something says so, in the same way.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* found = out;
    if (in[threadIdx.x] > 5 && *found == 0) *found = 1;
    out[1 + blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x];
}
