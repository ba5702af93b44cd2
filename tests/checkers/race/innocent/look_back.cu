// innocent; grid 24; block 64; seed 2
// A scan of blocks in one pass: each waits for its predecessor's sum behind a flag.
__device__ volatile int flags[64];
__device__ volatile int sums[64];
__device__ int prefix_of[64];
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[64];
    __shared__ int before;
    const int t = threadIdx.x, b = blockIdx.x;
    s[t] = in[b * 64 + t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        const int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (t == 0) {
        int previous = 0;
        if (b > 0) {
            while (flags[b - 1] == 0) {}
            __threadfence();
            previous = sums[b - 1];
            previous += prefix_of[b - 1] - prefix_of[b - 1];
        }
        prefix_of[b] = previous;
        sums[b] = previous + s[63];
        __threadfence();
        flags[b] = 1;
        before = previous;
    }
    __syncthreads();
    out[b * 64 + t] = before + s[t];
}
