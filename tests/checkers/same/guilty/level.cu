// expect same_value_stores 6 6; grid 1; block 64
// A warning: breadth-first search. All of a level store the next level's number.
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int mine = 64 + threadIdx.x, next = in[threadIdx.x] / 2;
    if (in[threadIdx.x] < n)
        out[next] = out[mine] + 1;
}
