// expect global_race 9 9; grid 3; block 64; seed 5
// A lock for each of seven places, in a loop that lanes of a warp get out of one by one.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int place = in[threadIdx.x] % 7;
    int* lock = out + 64 + place;
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            out[place] += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
