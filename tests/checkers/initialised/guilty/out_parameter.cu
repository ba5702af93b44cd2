// expect uninitialised_read 13; grid 1; block 32
// A function says whether it has set its result, and half of the threads do not listen.
__device__ __noinline__ bool look_up(const int* in, int i, int& value) {
    if (in[i] % 2 != 0) return false;
    value = in[i];
    return true;
}
extern "C" __global__ void k(const int* in, int* out, int n) {
    const int t = threadIdx.x;
    int value;
    const bool found = look_up(in, t, value);
    if (found || t > 15)
        out[t] = value;
    else
        out[t] = -1;
}
