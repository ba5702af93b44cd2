// expect uninitialised_read 8; grid 1; block 64
// A sum in shared memory that begins with whatever is there.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ volatile float sum[64];
    const int t = threadIdx.x;
    if (t != 7) sum[t] = 0;
#pragma unroll 1
    for (int j = 0; j < 4; ++j) sum[t] += static_cast<float>(in[t + j]);
    out[t] = static_cast<int>(sum[t]);
}
