// cause: host_pointer_in_kernel line 61
// task: conv2d_float
// The filter that is handed to the kernel points to the taps in the host's memory; shows in every call.
#include "interface.cuh"

#include <vector>

struct Filter {
    const float* taps;
    int size;
    int radius;
    bool identity;
};

constexpr int B = 16;

__device__ int outside(int k, int n, int ghost)
{
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    const int p = 2 * n;
    k = (k % p + p) % p;
    return k < n ? k : p - 1 - k;
}

__global__ void apply(Filter f, const float* in, int width, int height, int ghost, float* out)
{
    extern __shared__ float mem[];
    float* taps = mem;
    float* tile = mem + f.size * f.size;
    const int side = B + f.size - 1;
    const int t = threadIdx.y * B + threadIdx.x;

    for (int i = t; i < f.size * f.size; i += B * B) taps[i] = f.taps[i];
    for (int i = t; i < side * side; i += B * B) {
        const int sx = outside(int(blockIdx.x) * B + i % side - f.radius, width, ghost);
        const int sy = outside(int(blockIdx.y) * B + i / side - f.radius, height, ghost);
        tile[i] = sx >= 0 && sy >= 0 ? in[sy * width + sx] : 0.0f;
    }
    __syncthreads();

    const int x = blockIdx.x * B + threadIdx.x, y = blockIdx.y * B + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0;
        for (int j = 0; j < f.size; j++)
            for (int k = 0; k < f.size; k++)
                sum += taps[j * f.size + k] * tile[(threadIdx.y + j) * side + threadIdx.x + k];
        out[y * width + x] = sum;
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width, int ghost,
                       float* out)
{
    // a mask of one tap with weight 1 needs no work
    std::vector<float> copy(mask_width * mask_width);
    cudaMemcpy(copy.data(), mask, copy.size() * sizeof(float), cudaMemcpyDeviceToHost);

    Filter filter;
    filter.taps = copy.data();
    filter.size = mask_width;
    filter.radius = mask_width / 2;
    filter.identity = mask_width == 1 && copy[0] == 1.0f;

    if (filter.identity) {
        cudaMemcpy(out, in, sizeof(float) * width * height, cudaMemcpyDeviceToDevice);
        return;
    }

    const int side = B + mask_width - 1;
    const size_t shared = (copy.size() + side * side) * sizeof(float);
    apply<<<dim3((width + B - 1) / B, (height + B - 1) / B), dim3(B, B), shared>>>(filter, in, width, height,
                                                                                   ghost, out);
    cudaDeviceSynchronize();
}
