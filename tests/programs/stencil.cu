// Heat equation on a plate: all steps in one cooperative launch, with a grid-wide barrier between.
#include <cooperative_groups.h>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

namespace cg = cooperative_groups;

__global__ void diffuse(float* now, float* next, int width, int height, int steps) {
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < steps; ++step) {
        for (unsigned long long i = grid.thread_rank(); i < static_cast<unsigned>(width * height);
             i += grid.num_threads()) {
            const int x = static_cast<int>(i) % width, y = static_cast<int>(i) / width;
            float value = now[i];
            if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
                value += 0.2f *
                         (now[i - 1] + now[i + 1] + now[i - width] + now[i + width] - 4.0f * value);
            next[i] = value;
        }
        grid.sync();
        float* const swap = now;
        now = next;
        next = swap;
    }
}

int main() {
    int width = 60, height = 40, steps = 21, device = 0, supported = 0, per_sm = 0, sms = 0;
    cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device);
    if (!supported) {
        std::puts("no cooperative launches");
        return 1;
    }
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, diffuse, 128, 0);
    int blocks = per_sm * sms < 8 ? per_sm * sms : 8;

    std::vector<float> plate(width * height), expected;
    for (int y = 10; y < 30; ++y)
        for (int x = 20; x < 40; ++x) plate[y * width + x] = 100.0f;
    expected = plate;
    float *now, *next;
    const size_t bytes = plate.size() * sizeof(float);
    cudaMalloc(&now, bytes);
    cudaMalloc(&next, bytes);
    cudaMemcpy(now, plate.data(), bytes, cudaMemcpyHostToDevice);
    void* arguments[] = {&now, &next, &width, &height, &steps};
    cudaError_t e = cudaLaunchCooperativeKernel((void*)diffuse, blocks, 128, arguments, 0, 0);
    if (e == cudaSuccess)
        e = cudaMemcpy(plate.data(), steps % 2 ? next : now, bytes, cudaMemcpyDeviceToHost);
    if (e != cudaSuccess) {
        std::printf("CUDA: %s\n", cudaGetErrorString(e));
        return 1;
    }
    std::vector<float> other(expected);
    for (int s = 0; s < steps; ++s) {
        for (int y = 1; y < height - 1; ++y)
            for (int x = 1; x < width - 1; ++x) {
                const int i = y * width + x;
                other[i] =
                    expected[i] + 0.2f * (expected[i - 1] + expected[i + 1] + expected[i - width] +
                                          expected[i + width] - 4.0f * expected[i]);
            }
        std::swap(expected, other);
    }
    double worst = 0;
    for (size_t i = 0; i < plate.size(); ++i)
        worst = std::fmax(worst, std::fabs(plate[i] - expected[i]));
    std::printf("%d blocks, largest difference %g\n", blocks, worst);
    return worst < 1e-3 ? 0 : 1;
}
