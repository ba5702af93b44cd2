// cause: device_pointer_on_host line 43
// task: sum
// The partial sums are added up on the host straight from device memory, without a copy: a crash in every case.
#include "interface.cuh"

#include <numeric>
#include <vector>

template <int B>
__global__ void partialSums(const double2* in2, const double* in, size_t n, double* partials)
{
    __shared__ double s[B];
    double a = 0, b = 0;
    const size_t pairs = n / 2;
    for (size_t p = (size_t)blockIdx.x * B + threadIdx.x; p < pairs; p += (size_t)gridDim.x * B) {
        const double2 d = in2[p];
        a += d.x;
        b += d.y;
    }
    if (n % 2 == 1 && blockIdx.x == 0 && threadIdx.x == 0)
        a += in[n - 1];

    s[threadIdx.x] = a + b;
    for (int w = B / 2; w > 0; w /= 2) {
        __syncthreads();
        if (threadIdx.x < w)
            s[threadIdx.x] += s[threadIdx.x + w];
    }
    if (threadIdx.x == 0)
        partials[blockIdx.x] = s[0];
}

void reduce_sum(const double* in, size_t n, double* out)
{
    constexpr int blocks = 512;
    static double* partials = nullptr;
    if (!partials)
        cudaMalloc(&partials, sizeof(double) * blocks);

    partialSums<256><<<blocks, 256>>>((const double2*)in, in, n, partials);
    cudaDeviceSynchronize();

    const double total = std::accumulate(partials, partials + blocks, 0.0);
    cudaMemcpy(out, &total, sizeof total, cudaMemcpyHostToDevice);
}
