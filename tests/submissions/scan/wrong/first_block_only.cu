// expect: inclusive_int=unwritten_output
// One block, and no loop around it: whatever does not fit into 1024 threads is never written.
#include "interface.cuh"

__global__ void scan(const int* in, std::size_t n, int* out) {
    __shared__ int s[2][1024];
    const unsigned t = threadIdx.x;
    int now = 0;
    s[0][t] = t < n ? in[t] : 0;
    for (unsigned d = 1; d < 1024; d *= 2) {
        __syncthreads();
        s[1 - now][t] = s[now][t] + (t >= d ? s[now][t - d] : 0);
        now = 1 - now;
    }
    if (t < n) out[t] = s[now][t];
}

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan<<<1, 1024>>>(in, n, out); }
