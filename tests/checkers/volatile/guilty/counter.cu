// expect lost_update 5 5; grid 4; block 1
// Each block adds one to a volatile counter.
extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* counter = out;
    *counter = *counter + 1;
}
