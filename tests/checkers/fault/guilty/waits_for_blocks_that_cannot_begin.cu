// expect deadlock 7; grid 4096; block 1; budget 100000000
// A barrier of the grid, which has more blocks than the device holds at once.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __threadfence();
    atomicAdd(out, 1);
    // All that are there wait for those that are not.
    while (atomicAdd(out, 0) != static_cast<int>(gridDim.x)) {}
    __threadfence();
}
