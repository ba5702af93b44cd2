// expect uninitialised_read 15; grid 1; block 32
// Garbage on its way through a structure, a function, an array of the thread and shared memory.
struct Pair {
    int first, second;
};
__device__ __noinline__ Pair swapped(Pair p) { return {p.second, p.first}; }
extern "C" __global__ void k(const int* in, int* out, int n) {
    __shared__ int given[64];
    __shared__ Pair taken[32];
    int own[8];
    const int t = threadIdx.x;
    given[2 * t] = in[t];
    __syncthreads();
    Pair p;
    p.first = given[2 * t], p.second = given[2 * t + 1];
    taken[t] = swapped(p);
    for (int j = 0; j < 8; ++j) own[j] = 0;
    own[in[t] % 8] = taken[t].first;
    __syncthreads();
    out[t] = own[in[t] % 8] + taken[t].second;
}
