// expect same_value_stores 5 5; grid 4; block 128
// Whoever finds something says so: all write the same.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 3 == 0) out[0] = 1;
}
