// cause: host_pointer_in_kernel line 33
// task: map
// The coefficients have been copied to the device, but the kernel is given the address of the array on the
// host's stack.
#include "interface.cuh"

enum { BS = 128, ITEMS = 4 };

// c: four coefficients, x^0 first
__global__ void poly(const float *in, float *res, unsigned long long len, const float *c)
{
    const float a = c[0], b = c[1], q = c[2], d = c[3];
    unsigned long long base = (unsigned long long)blockIdx.x * (BS * ITEMS) + threadIdx.x;

    #pragma unroll
    for (int k = 0; k < ITEMS; ++k, base += BS) {
        if (base >= len) break;
        float v = in[base];
        float v2 = v * v;
        res[base] = a + b * v + q * v2 + d * v2 * v;
    }
}

void map_cubic(const float *x, std::size_t n, float c0, float c1, float c2, float c3, float *y)
{
    static float *dev_coef = NULL;
    float coef[4] = { c0, c1, c2, c3 };

    if (!dev_coef) cudaMalloc((void **)&dev_coef, sizeof coef);
    cudaMemcpy(dev_coef, coef, sizeof coef, cudaMemcpyHostToDevice);

    unsigned nblk = (unsigned)((n + BS * ITEMS - 1) / (BS * ITEMS));
    poly<<<nblk, BS>>>(x, y, n, coef);
}
