// innocent; grid 4; block 64; seed 6
// One thread takes the lock for its block, which meets it at a barrier.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    if (t == 0)
        while (atomicCAS(out + 128, 0, 1) != 0) {}
    __syncthreads();
    out[t] += in[t];
    __threadfence();
    __syncthreads();
    if (t == 0) atomicExch(out + 128, 0);
}
