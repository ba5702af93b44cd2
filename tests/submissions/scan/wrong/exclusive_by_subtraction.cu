// expect: exclusive_int=accepted exclusive_float=wrong_answer
// The inclusive scan minus the element: the same for ints, but a float that was swamped by a large
// element does not come back when that is subtracted.
#include "interface.cuh"

template <class T> __global__ void scan(const T* in, std::size_t n, T* out) {
    __shared__ T s[2][1024];
    const unsigned t = threadIdx.x;
    T carry = 0;
    for (std::size_t first = 0; first < n; first += 1024) {
        const T x = first + t < n ? in[first + t] : T(0);
        int now = 0;
        s[0][t] = x;
        for (unsigned d = 1; d < 1024; d *= 2) {
            __syncthreads();
            s[1 - now][t] = s[now][t] + (t >= d ? s[now][t - d] : T(0));
            now = 1 - now;
        }
        __syncthreads();
        if (first + t < n) out[first + t] = carry + s[now][t] - x;
        carry += s[now][1023];
        __syncthreads();
    }
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) { scan<<<1, 1024>>>(in, n, out); }
void scan_exclusive_float(const float* in, std::size_t n, float* out) { scan<<<1, 1024>>>(in, n, out); }
