// innocent; grid 4; block 64
// Each thread changes words of its own.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < 4; ++round) out[i] += in[i + round];
    if (in[i] > out[i + 1024]) out[i + 1024] = in[i];
}
