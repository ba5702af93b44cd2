// expect lost_update 8 8; grid 4; block 1
// Fences order, but make no single step.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* counter = out;
    __threadfence();
    const int seen = *counter;
    __threadfence();
    *counter = seen + 1;
    __threadfence();
}
