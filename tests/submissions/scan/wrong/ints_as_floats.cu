// expect: inclusive_int=wrong_answer
// The kernel for floats is used for ints as well: sums above 2^24 lose their last digits.
#include "interface.cuh"

__global__ void scan(const int* in, std::size_t n, int* out) {
    __shared__ float s[2][1024];
    const unsigned t = threadIdx.x;
    float carry = 0;
    for (std::size_t first = 0; first < n; first += 1024) {
        int now = 0;
        s[0][t] = first + t < n ? static_cast<float>(in[first + t]) : 0;
        for (unsigned d = 1; d < 1024; d *= 2) {
            __syncthreads();
            s[1 - now][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
            now = 1 - now;
        }
        __syncthreads();
        if (first + t < n) out[first + t] = static_cast<int>(carry + s[now][t]);
        carry += s[now][1023];
        __syncthreads();
    }
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan<<<1, 1024>>>(in, n, out); }
