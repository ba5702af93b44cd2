// Copies of rows, boxes and symbols.
#include "check.h"

#include <vector>

__constant__ float weights[8];
__device__ int state[4] = {1, 2, 3, 4};

__global__ void apply(float* image, size_t pitch, int width, int height) {
    const int x = threadIdx.x, y = blockIdx.x;
    if (x >= width || y >= height) return;
    float* const row = reinterpret_cast<float*>(reinterpret_cast<char*>(image) + y * pitch);
    row[x] *= weights[x % 8];
    if (x == 0 && y == 0) state[2] += 40;
}

int main() {
    const int width = 37, height = 11;
    float w[8];
    for (int i = 0; i < 8; ++i) w[i] = i + 1;
    CUDA(cudaMemcpyToSymbol(weights, w, sizeof w));
    w[0] = 10;
    CUDA(cudaMemcpyToSymbol(weights, w, sizeof(float), 0));
    std::vector<float> image(width * height);
    for (int i = 0; i < width * height; ++i) image[i] = i;
    float* device;
    size_t pitch;
    CUDA(cudaMallocPitch(&device, &pitch, width * sizeof(float), height));
    EXPECT(pitch >= width * sizeof(float));
    const size_t row = width * sizeof(float);
    CUDA(cudaMemcpy2D(device, pitch, image.data(), row, row, height, cudaMemcpyHostToDevice));
    apply<<<height, 64>>>(device, pitch, width, height);
    std::vector<float> out(width * height);
    CUDA(cudaMemcpy2DAsync(out.data(), row, device, pitch, row, height, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            EXPECT(out[y * width + x] == image[y * width + x] * (x % 8 ? x % 8 + 1 : 10));
    int s[4];
    CUDA(cudaMemcpyFromSymbol(s, state, sizeof s));
    EXPECT(s[0] == 1 && s[2] == 43 && s[3] == 4);
    void* address;
    size_t bytes;
    CUDA(cudaGetSymbolAddress(&address, state));
    CUDA(cudaGetSymbolSize(&bytes, state));
    CUDA(cudaMemset(address, 0, 8));
    CUDA(cudaMemcpyFromSymbol(s, state, sizeof s));
    EXPECT(bytes == 16 && s[0] == 0 && s[2] == 43);

    cudaPitchedPtr box;
    CUDA(cudaMalloc3D(&box, make_cudaExtent(8 * sizeof(int), 5, 3)));
    CUDA(cudaMemset3D(box, 0, make_cudaExtent(8 * sizeof(int), 5, 3)));
    std::vector<int> cube(8 * 5 * 3, 7), back(8 * 5 * 3, -1);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(cube.data(), 8 * sizeof(int), 8, 5);
    p.dstPtr = box;
    p.dstPos = make_cudaPos(0, 1, 1);
    p.extent = make_cudaExtent(8 * sizeof(int), 2, 2);
    p.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&p));
    p = {};
    p.srcPtr = box;
    p.dstPtr = make_cudaPitchedPtr(back.data(), 8 * sizeof(int), 8, 5);
    p.extent = make_cudaExtent(8 * sizeof(int), 5, 3);
    p.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&p));
    for (int i = 0; i < 8 * 5 * 3; ++i) {
        const int y = i / 8 % 5, z = i / 40;
        EXPECT(back[i] == (y >= 1 && y < 3 && z >= 1 ? 7 : 0));
    }
    CUDA(cudaFree(box.ptr));
    CUDA(cudaFree(device));
    return 0;
}
