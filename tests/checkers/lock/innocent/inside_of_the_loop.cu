// innocent; grid 2; block 32
// Each lane gives the lock back in the round in which it has taken it.
extern "C" __global__ void k(const int* in, int* out, int n) {
    for (bool done = false; !done;) {
        if (atomicCAS(out + 64, 0, 1) != 0) continue;
        atomicAdd(out, in[threadIdx.x]);
        atomicExch(out + 64, 0);
        done = true;
    }
}
