// innocent; grid 4; block 32
// A look at the largest so far saves most atomics. An old value costs one more and changes nothing, though the
// counter has told of other blocks.
__device__ int largest;
__device__ unsigned done;

extern "C" __global__ void k(const int* in, int* out, int n) {
    volatile int* best = &largest;
    volatile int* own = out + blockIdx.x * blockDim.x + threadIdx.x;
    *own = 1;
    const int mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (mine > *best) atomicMax(&largest, mine);
    *own = atomicAdd(&done, 1u);
    if (mine > *best) atomicMax(&largest, mine);
}
