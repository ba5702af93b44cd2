// expect global_race 5 7; grid 2; block 1
// The maximum is the device's in one block and the block's in the other.
extern "C" __global__ void k(const int* in, int* out, int n) {
    if (blockIdx.x == 0)
        atomicMax(out, in[3]);
    else
        atomicMax_block(out, in[5]);
}
