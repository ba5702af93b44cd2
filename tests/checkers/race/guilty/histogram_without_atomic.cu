// expect missing_atomic 5 5; grid 2; block 32
// A read, an addition and a write of many threads to one counter.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) out[in[i] % 2 == 0 ? 0 : 1] += 1;
}
