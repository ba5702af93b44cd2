// expect missing_atomic 5 6, missing_atomic 6 6; grid 3; block 1
// Who has something larger stores it, and does not see what others store meanwhile.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int mine = in[blockIdx.x + 5];
    if (mine > out[0])
        out[0] = mine;
}
