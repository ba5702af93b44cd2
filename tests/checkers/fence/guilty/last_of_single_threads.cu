// expect global_race 5 9; grid 8; block 1
// The last to arrive sums up; no fence and no barrier comes between its ticket and the sums.
__device__ unsigned arrived;
extern "C" __global__ void k(const int* in, int* out, int n) {
    out[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    if (atomicAdd(&arrived, 1u) != gridDim.x - 1) return;
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += out[b];
    out[100] = sum;
}
