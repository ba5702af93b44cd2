// expect deadlock 6; grid 1; block 32; budget 100000000
// The step is 0, so the loop comes to no end; it asks nobody.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const unsigned step = in[0];
    unsigned i = threadIdx.x;
    while (i < 100) i = (i ^ step) & 31;
    out[0] = i;
}
