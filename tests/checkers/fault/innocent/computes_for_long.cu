// innocent; grid 1; block 32; budget 100000000
// Many rounds in registers, and a store at the end.
extern "C" __global__ void k(const int* in, int* out, int n) {
    unsigned x = in[threadIdx.x] + 1;
    for (int round = 0; round < 300000; ++round) x = x * 1664525 + 1013904223;
    out[threadIdx.x] = x;
}
