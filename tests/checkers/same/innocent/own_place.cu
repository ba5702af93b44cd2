// innocent; grid 2; block 64
// The same value everywhere, but each thread has its place.
extern "C" __global__ void k(const int* in, int* out, int n) {
    out[blockIdx.x * 64 + threadIdx.x] = in[threadIdx.x] / 64;
}
