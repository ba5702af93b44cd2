// expect global_race 13 13, missing_syncwarp 13 13, races_unwatched 13; grid 32; block 64; budget 100000000
// Another lock for each of 61 places, and none for the sum: that nobody has told of it takes long
// to see.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int turn = 0; turn < 64; ++turn) {
        const int place = (i * 7 + turn * 13) % 61;
        int* lock = out + 64 + place;
        for (bool done = false; !done;) {
            if (atomicCAS(lock, 0, 1) == 0) {
                __threadfence();
                out[place] += 1;
                out[63] += 1;
                __threadfence();
                atomicExch(lock, 0);
                done = true;
            }
        }
    }
}
