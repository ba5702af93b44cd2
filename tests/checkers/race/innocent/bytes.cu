// innocent; grid 4; block 96
// Four threads share a word and no byte.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    reinterpret_cast<unsigned char*>(out)[i] = static_cast<unsigned char>(in[i]);
}
