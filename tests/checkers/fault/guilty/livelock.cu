// expect livelock 4; grid 1; block 1; budget 20000
// Waits for a flag that nobody sets.
extern "C" __global__ void k(const int* in, int* out, int n) {
    while (*static_cast<volatile int*>(out) == 0) {}
    out[1] = in[0];
}
