// expect global_race 4 4; grid 3; block 32
// Lanes of one block take turns, blocks do not.
extern "C" __global__ void k(const int* in, int* out, int n) {
    atomicAdd_block(out + in[threadIdx.x] % 5, 1);
}
