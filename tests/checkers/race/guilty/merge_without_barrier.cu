// expect shared_race 7 8, missing_syncwarp 7 8; block 64
// A plain read of what others still add to.
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int bins[64];
    bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[threadIdx.x] * 7 % 64], 1);
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
