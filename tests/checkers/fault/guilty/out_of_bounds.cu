// expect out_of_bounds 5; grid 33; block 128
// No test that the index is inside.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
