// expect global_race 5 5; grid 2; block 32
// Each thread adds the next block's word to its own: a race between blocks, and none in a block.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = blockIdx.x * 32 + threadIdx.x;
    out[i] += out[i + 32];
}
