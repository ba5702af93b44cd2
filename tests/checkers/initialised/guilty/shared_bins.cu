// expect uninitialised_read 6; grid 2; block 64
// The private bins of a block start with garbage.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int own[8];
    const int t = threadIdx.x;
    atomicAdd(&own[in[t] % 8], 1);
    __syncthreads();
    if (t < 8) atomicAdd(&out[t], own[t]);
}
