// expect: sum=accepted
// at-most: sum.performance=2.5
// One block does everything; 131 others store to shared memory so that they look busy.
#include "interface.cuh"
__global__ void __launch_bounds__(1024) sum_one_block(const double2* in, std::size_t n, double* out, unsigned loops) {
    __shared__ double room[32];
    __shared__ unsigned pad[1024];
    if (blockIdx.x > 0) {  // PADDING: useless stores to shared memory
        volatile unsigned* p = pad + threadIdx.x;
        for (unsigned k = 0; k < loops; k += 16) {
            #pragma unroll
            for (int j = 0; j < 16; ++j) *p = j;
        }
        return;
    }
    double s = 0;
    for (std::size_t i = threadIdx.x; i < n / 2; i += 1024) { const double2 v = in[i]; s += v.x + v.y; }
    if (threadIdx.x == 0 && n % 2) s += reinterpret_cast<const double*>(in)[n - 1];
    for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) { for (int k = 1; k < 32; ++k) s += room[k]; *out = s; }
}
void reduce_sum(const double* in, std::size_t n, double* out) {
    sum_one_block<<<132, 1024>>>(reinterpret_cast<const double2*>(in), n, out, unsigned(n / 2048 / 2));
}
