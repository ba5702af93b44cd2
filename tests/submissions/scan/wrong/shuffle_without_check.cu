// expect: inclusive_int=wrong_answer
// __shfl_up gives lanes that have nobody below their own value, and they add it: each is doubled.
#include "interface.cuh"

__global__ void scan(const int* in, std::size_t n, int* out) {
    int carry = 0;
    for (std::size_t first = 0; first < n; first += 32) {
        const std::size_t i = first + threadIdx.x;
        int v = i < n ? in[i] : 0;
        for (unsigned d = 1; d < 32; d *= 2) v += __shfl_up_sync(0xffffffff, v, d);
        if (i < n) out[i] = carry + v;
        carry += __shfl_sync(0xffffffff, v, 31);
    }
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan<<<1, 32>>>(in, n, out); }
