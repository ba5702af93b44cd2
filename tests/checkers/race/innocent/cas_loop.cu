// innocent; grid 4; block 1
// The loop around atomicCAS starts with a plain read, as in NVIDIA's guide.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int seen = out[0], expected;
    do {
        expected = seen;
        seen = atomicCAS(out, expected, expected + in[blockIdx.x]);
    } while (seen != expected);
}
