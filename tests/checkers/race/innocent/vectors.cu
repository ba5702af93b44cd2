// innocent; grid 4; block 64
// 16 bytes a thread, then 4 bytes a thread behind a barrier.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int4 s[64];
    const int t = threadIdx.x;
    s[t] = reinterpret_cast<const int4*>(in)[blockIdx.x * 64 + t];
    __syncthreads();
    const int* words = reinterpret_cast<const int*>(s);
    int sum = 0;
    for (int q = 0; q < 4; ++q) sum += words[q * 64 + t];
    __syncthreads();
    s[63 - t] = make_int4(sum, 0, 0, 0);
    out[blockIdx.x * 64 + t] = s[63 - t].x;
}
