// innocent; grid 2; block 64; raw
// Each round loads what the next one needs, the last one from behind what is filled; and a vector is
// read whole whose last element nobody uses.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ volatile int s[65];
    __shared__ __align__(16) float four[64][4];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    for (int j = 0; j < 3; ++j) four[t][j] = in[j];
    __syncthreads();
    int sum = 0, next = s[t];
#pragma unroll 1
    for (int j = t; j < 64; ++j) {
        const int now = next;
        next = s[j + 1];
        sum += now;
    }
    const float4 v = *reinterpret_cast<const float4*>(four[63 - t]);
    const bool is_far = i > 100;
    const float w = is_far ? v.x : v.z;
    reinterpret_cast<float4*>(out)[64 + i] = v;
    out[i] = sum + static_cast<int>(v.x + v.y + w);
}
