// expect global_race 5 5; grid 4; block 1
// Two constants, and the data choose between them.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int found = in[blockIdx.x + 9] > 2 ? 1 : 2;
    out[7] = found;
}
