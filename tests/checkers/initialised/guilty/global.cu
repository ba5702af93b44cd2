// expect uninitialised_read 5; grid 2; block 64; raw
// Adds to an output that nobody has cleared.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] += in[i];
}
