// innocent; grid 3; block 50; n 120
// All of the tile is filled, with zeros where there is no input.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[64];
    const int t = threadIdx.x, i = blockIdx.x * 50 + t;
    for (int j = t; j < 64; j += 50) s[j] = i < n ? in[i] : 0;
    __syncthreads();
    out[i] = s[63 - t] + s[t];
}
