// cause: state_kept_between_calls line 61 or 62
// task: conv2d_float
// The mask goes to constant memory in the first call only; later calls compute with the first one's mask.
#include "interface.cuh"
#include <cstdlib>
#include <iostream>

static void ok(cudaError_t err, const char* what)
{
    if (err == cudaSuccess) return;
    std::cerr << what << ": " << cudaGetErrorString(err) << std::endl;
    std::exit(1);
}

const int LARGEST = 31;
__constant__ float kernelWeights[LARGEST * LARGEST];

enum Ghost { ZERO, EDGE, MIRROR };

__device__ bool locate(int& c, int limit, int ghost)
{
    if (c >= 0 && c < limit) return true;
    if (ghost == ZERO) return false;
    if (ghost == EDGE) { c = c < 0 ? 0 : limit - 1; return true; }
    if (c < 0) c = -(c + 1);
    int round = c / limit;
    int rest = c - round * limit;
    c = (round & 1) ? limit - 1 - rest : rest;
    return true;
}

// 32 x 32 threads, one pixel each; the halo is loaded in a second, third ... turn
__global__ void convolveTile(const float* src, int width, int height, int taps, int ghost, float* dst)
{
    __shared__ float buffer[(32 + LARGEST - 1) * (32 + LARGEST - 1)];
    const int edge = 32 + taps - 1;
    const int me = threadIdx.x + 32 * threadIdx.y;
    for (int item = me; item < edge * edge; item += 1024) {
        int row = item / edge + 32 * blockIdx.y - taps / 2;
        int col = item % edge + 32 * blockIdx.x - taps / 2;
        bool inside = locate(row, height, ghost);
        inside = locate(col, width, ghost) && inside;
        buffer[item] = inside ? src[(size_t)row * width + col] : 0.0f;
    }
    __syncthreads();

    const int col = 32 * blockIdx.x + threadIdx.x;
    const int row = 32 * blockIdx.y + threadIdx.y;
    if (row < height && col < width) {
        float total = 0;
        const float* corner = buffer + threadIdx.y * edge + threadIdx.x;
        for (int t = 0; t < taps * taps; t++)
            total += kernelWeights[t] * corner[t / taps * edge + t % taps];
        dst[(size_t)row * width + col] = total;
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out)
{
    static bool uploaded = false;
    if (!uploaded) {
        ok(cudaMemcpyToSymbol(kernelWeights, mask, mask_width * mask_width * sizeof(float), 0,
                              cudaMemcpyDeviceToDevice), "mask");
        uploaded = true;
    }
    dim3 grid((width + 31) / 32, (height + 31) / 32);
    convolveTile<<<grid, dim3(32, 32)>>>(in, width, height, mask_width, ghost, out);
    ok(cudaGetLastError(), "launch");
}
