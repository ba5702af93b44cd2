// expect global_race 4 4; grid 1; block 32
// All lanes of one store write their own number to one word.
extern "C" __global__ void k(const int* in, int* out, int n) {
    out[0] = threadIdx.x;
}
