// expect: inclusive_float=accepted exclusive_int=accepted
// One block walks over the array in tiles and carries the sum along: all other multiprocessors idle.
#include "interface.cuh"

template <class T, bool inclusive> __global__ void scan(const T* in, std::size_t n, T* out) {
    __shared__ T s[2][1024];
    const unsigned t = threadIdx.x;
    T carry = 0;
    for (std::size_t first = 0; first < n; first += 1024) {
        int now = 0;
        s[0][t] = first + t < n ? in[first + t] : 0;
        for (unsigned d = 1; d < 1024; d *= 2) {
            __syncthreads();
            s[1 - now][t] = s[now][t] + (t >= d ? s[now][t - d] : T(0));
            now = 1 - now;
        }
        __syncthreads();
        if (first + t < n) out[first + t] = carry + (inclusive ? s[now][t] : t > 0 ? s[now][t - 1] : T(0));
        carry += s[now][1023];
        __syncthreads();
    }
}

void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    scan<float, true><<<1, 1024>>>(in, n, out);
}
void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    scan<int, false><<<1, 1024>>>(in, n, out);
}
