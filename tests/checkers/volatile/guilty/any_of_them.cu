// expect lost_update 4 4; grid 1; block 128
// Whose number stays is nobody's choice.
extern "C" __global__ void k(const int* in, int* out, int n) {
    *static_cast<volatile int*>(out) = threadIdx.x;
}
