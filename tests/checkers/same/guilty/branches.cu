// expect global_race 8 8; grid 4; block 1
// Two places in the code that set what is stored, one of them for some data only.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int steps = 0;
    for (int v = in[blockIdx.x] + 64; v > 1; v /= 2)
        if (v % 2 == 0) ++steps; else steps += 1;
    // The first four numbers take as many steps.
    out[7] = steps;
}
