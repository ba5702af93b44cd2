// expect hangs_before_volta 6; grid 1; block 64; seed 11
// One lock for each bucket, and several lanes of a warp for each.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int bucket = in[threadIdx.x] % 8;
    int* lock = out + 64 + bucket;
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    out[bucket] += 1;
    __threadfence();
    atomicExch(lock, 0);
}
