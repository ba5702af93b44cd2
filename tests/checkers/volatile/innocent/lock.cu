// innocent; grid 8; block 64
// A lock properly used; the data are volatile, because other blocks change them.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* data = out + 1;
    for (int turn = 0; turn < 64; ++turn) {
        if (threadIdx.x != turn) continue;
        while (atomicCAS(out, 0, 1) != 0) {}
        __threadfence();
        data[0] = data[0] + 1;
        if (in[turn] > data[1]) data[1] = in[turn];
        __threadfence();
        *static_cast<volatile int*>(out) = 0;
    }
}
