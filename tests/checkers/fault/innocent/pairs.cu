// innocent; grid 2; block 64
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int2 pair = reinterpret_cast<const int2*>(in)[i];
    out[i] = pair.x + pair.y;
}
