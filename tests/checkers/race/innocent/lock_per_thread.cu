// innocent; grid 3; block 64; seed 5
// Every thread takes the lock of a bucket, in a loop that also older GPUs get out of.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int bucket = in[threadIdx.x] % 7;
    int* lock = out + 64 + bucket;
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            out[bucket] += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
