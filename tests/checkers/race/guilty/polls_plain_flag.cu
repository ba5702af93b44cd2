// expect global_race 11 8, global_race 10 6; grid 2; block 1
// The flag is read without volatile, and so is what it guards.
extern "C" __global__ void k(const int* in, int* out, int n) {
    int* flag = out + 32;
    if (blockIdx.x == 0) {
        out[0] = in[7];
        __threadfence();
        *static_cast<volatile int*>(flag) = 1;
    } else {
        const int value = out[0];
        out[33] = *flag + value;
    }
}
