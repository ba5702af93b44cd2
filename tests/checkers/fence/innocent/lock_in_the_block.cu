// innocent; grid 3; block 64; seed 4
// A lock of each block: its fences and atomics need reach no farther.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* lock = out + 64 + blockIdx.x;
    bool done = false;
    while (!done) {
        if (atomicCAS_block(lock, 0, 1) == 0) {
            __threadfence_block();
            out[blockIdx.x] += in[threadIdx.x];
            __threadfence_block();
            atomicExch_block(lock, 0);
            done = true;
        }
    }
}
