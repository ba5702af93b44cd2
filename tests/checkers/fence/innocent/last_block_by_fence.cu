// innocent; grid 8; block 1
// The last to arrive has a fence between its ticket and the others' results.
__device__ unsigned arrived;
extern "C" __global__ void k(const int* in, int* out, int n) {
    out[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    if (atomicInc(&arrived, gridDim.x - 1) != gridDim.x - 1) return;
    __threadfence();
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += out[b];
    out[100] = sum;
}
