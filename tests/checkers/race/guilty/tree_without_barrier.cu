// expect shared_race 11 11; grid 1; block 256
// The barrier stands in front of the loop only.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int s[256];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    // stride stays above a warp, so that no two lanes of one are involved
    for (int stride = 128; stride >= 32; stride /= 2)
        if (t < stride)
            s[t] += s[t + stride];
    __syncthreads();
    if (t < 32) out[t] = s[t];
}
