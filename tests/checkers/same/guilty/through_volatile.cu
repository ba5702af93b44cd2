// expect lost_update 4 4; grid 1; block 64
// A volatile store of data is lost as any other.
extern "C" __global__ void k(const int* in, int* out, int n) {
    *static_cast<volatile int*>(out + 7) = in[threadIdx.x] / 64;
}
