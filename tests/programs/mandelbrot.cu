// The Mandelbrot set as characters.
#include <cstdio>
#include <string>
#include <vector>

__host__ __device__ int escape(double re, double im, int limit) {
    double x = 0, y = 0;
    int n = 0;
    while (n < limit && x * x + y * y <= 4.0) {
        const double t = x * x - y * y + re;
        y = 2.0 * x * y + im;
        x = t;
        ++n;
    }
    return n;
}

__global__ void mandelbrot(unsigned char* image, int width, int height, int limit) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        image[y * width + x] = static_cast<unsigned char>(
            escape(-2.0 + 2.5 * x / width, -1.2 + 2.4 * y / height, limit));
}

int main() {
    const int width = 78, height = 30, limit = 200;
    unsigned char* d_image;
    cudaMalloc(&d_image, width * height);
    const dim3 threads(16, 8);
    const dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    mandelbrot<<<blocks, threads>>>(d_image, width, height, limit);
    std::vector<unsigned char> image(width * height);
    const cudaError_t e = cudaMemcpy(image.data(), d_image, image.size(), cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) {
        std::printf("CUDA: %s\n", cudaGetErrorString(e));
        return 1;
    }
    int inside = 0, different = 0;
    for (int y = 0; y < height; ++y) {
        std::string line;
        for (int x = 0; x < width; ++x) {
            const int n = image[y * width + x];
            line += n == limit ? '#' : n > 12 ? '+' : n > 6 ? '.' : ' ';
            if (n == limit) ++inside;
            // On the border fused multiply-adds may decide.
            if (n != escape(-2.0 + 2.5 * x / width, -1.2 + 2.4 * y / height, limit)) ++different;
        }
        std::puts(line.c_str());
    }
    cudaFree(d_image);
    std::printf("%d inside, %d different on the host\n", inside, different);
    return inside > 400 && inside < 800 && different < 10 ? 0 : 1;
}
