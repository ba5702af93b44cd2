// innocent; grid 2; block 64
// The lock is given back inside of the loop.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* lock = out + 64;
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            out[0] += in[threadIdx.x];
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
