// expect missing_atomic 6 6; grid 4; block 64
// Many elements have one target, and a loop goes over all that a thread has.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        out[in[i] / 8] -= in[i];
}
