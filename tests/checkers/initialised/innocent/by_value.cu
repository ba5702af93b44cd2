// innocent; grid 1; block 32; raw
// A structure with padding goes by value, by return and through memory of all kinds.
struct Mixed {
    char tag;
    double value;
    short small;
    char last;
};
__device__ __noinline__ Mixed made(int i) {
    Mixed m;
    m.tag = 'a';
    m.value = i;
    m.small = i;
    m.last = 'z';
    return m;
}
__device__ __noinline__ Mixed grown(Mixed m) {
    m.value += m.small;
    return m;
}
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ Mixed all[32];
    const int t = threadIdx.x;
    all[t] = grown(made(in[t]));
    __syncwarp();
    Mixed own[4];
    for (int j = 0; j < 4; ++j) own[j] = all[(t + j) % 32];
    __syncthreads();
    Mixed* to = reinterpret_cast<Mixed*>(out);
    to[t] = own[in[t] % 4];
    __syncwarp();
    to[32 + t] = to[31 - t];
    out[2048 + t] = static_cast<int>(to[32 + t].value) + to[32 + t].last;
}
