// Times the model answers beside their peers: CUB where it has the operation, a copy of the same
// bytes where moving them is the limit, and cuDNN's convolutions of floats if it was there when
// this was built.
//
// Both of a row run alternately in one process, each timed by events around its call, and the
// median of the repeats counts. The data is larger than any cache. What both computed is compared
// on the device, so a model answer that is fast because it is wrong fails the row. Sizes shrink
// with `--scale N`, by powers of two, on a GPU with less memory; the bars are for the full size on
// an H200.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <cub/cub.cuh>
#if CUGRADE_HAS_CUDNN
#include <cudnn.h>
#endif

#include "convolution/interface.cuh"
#include "histogram/interface.cuh"
#include "patterns/interface.cuh"
#include "reduction/interface.cuh"
#include "scan/interface.cuh"

namespace {

void check(cudaError_t error, const char* what, int line) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "references.cu:%d: %s: %s\n", line, what, cudaGetErrorString(error));
    std::exit(2);
}
#define CHECK(call) check((call), #call, __LINE__)

/// Device memory for `count` elements.
template <class T>
struct Buffer {
    explicit Buffer(std::size_t count) : size(count) {
        CHECK(cudaMalloc(&data, std::max<std::size_t>(count, 1) * sizeof(T)));
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { cudaFree(data); }
    T* data = nullptr;
    std::size_t size;
};

/// A number that depends on i and on nothing else (the finaliser of splitmix64).
__device__ std::uint64_t mixed(std::uint64_t i) {
    i += 0x9e3779b97f4a7c15;
    i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9;
    i = (i ^ i >> 27) * 0x94d049bb133111eb;
    return i ^ i >> 31;
}

template <class T, class F>
__global__ void fill_kernel(T* data, std::size_t n, F value) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride)
        data[i] = static_cast<T>(value(mixed(i)));
}
/// Every element is a function of 64 random bits.
template <class T, class F>
void fill(Buffer<T>& buffer, F value) {
    fill_kernel<<<2048, 256>>>(buffer.data, buffer.size, value);
    CHECK(cudaGetLastError());
}

template <class T>
__global__ void differ_kernel(const T* a, const T* b, std::size_t n, double bound,
                              unsigned long long* count) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
        const double difference = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        if (!(difference <= bound && difference >= -bound)) atomicAdd(count, 1ull);
    }
}
/// How many elements of the first n differ by more than the bound.
template <class T>
unsigned long long differ(const Buffer<T>& a, const Buffer<T>& b, std::size_t n, double bound = 0) {
    Buffer<unsigned long long> count(1);
    CHECK(cudaMemset(count.data, 0, sizeof(unsigned long long)));
    differ_kernel<<<2048, 256>>>(a.data, b.data, n, bound, count.data);
    unsigned long long result = 0;
    CHECK(cudaMemcpy(&result, count.data, sizeof result, cudaMemcpyDeviceToHost));
    return result;
}

int repeats = 31;
int rows = 0, bad_rows = 0;

double median(std::vector<double> v) {
    std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
    return v[v.size() / 2];
}

/// Medians in microseconds of functions that are called in turn.
std::vector<double> times(const std::vector<std::function<void()>>& functions) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    std::vector<std::vector<double>> samples(functions.size());
    for (int round = -2; round < repeats; ++round)  // two to warm up
        for (std::size_t f = 0; f < functions.size(); ++f) {
            CHECK(cudaEventRecord(start));
            functions[f]();
            CHECK(cudaEventRecord(stop));
            CHECK(cudaEventSynchronize(stop));
            float ms = 0;
            CHECK(cudaEventElapsedTime(&ms, start, stop));
            if (round >= 0) samples[f].push_back(1000.0 * ms);
        }
    CHECK(cudaGetLastError());
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    std::vector<double> out;
    for (auto& s : samples) out.push_back(median(std::move(s)));
    return out;
}

/// One line of the table. `bytes` must move; `bar` is the least ratio of the peer's time to ours.
void row(const char* name, double bytes, const char* peer_name, double bar,
         const std::function<void()>& peer, const std::function<void()>& ours,
         const std::function<unsigned long long()>& mismatches) {
    const auto t = times({peer, ours});
    const unsigned long long wrong = mismatches ? mismatches() : 0;
    const double ratio = t[0] / t[1];
    const bool ok = wrong == 0 && ratio >= bar;
    ++rows;
    bad_rows += !ok;
    std::printf("%-34s %10.1f us %6.2f TB/s   %-22s %10.1f us   ratio %5.2f  bar %4.2f  %s", name,
                t[1], bytes / t[1] / 1e6, peer_name, t[0], ratio, bar, ok ? "ok" : "BELOW");
    if (wrong != 0) std::printf("  WRONG: %llu elements differ", wrong);
    std::printf("\n");
    std::fflush(stdout);
}

/// CUB's two-phase calls: `run(temporary, bytes)`.
template <class F>
std::function<void()> with_storage(F run) {
    std::size_t bytes = 0;
    CHECK(run(nullptr, bytes));
    auto storage = std::make_shared<Buffer<unsigned char>>(bytes);
    return [=]() mutable { CHECK(run(storage->data, bytes)); };
}

std::function<void()> copy(void* to, const void* from, std::size_t bytes) {
    return [=] { CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice)); };
}

void reductions(std::size_t n) {
    {
        Buffer<double> in(n), a(1), b(1);
        // Integers of 24 bits: every order of additions gives the same sum.
        fill(in,
             [] __device__(std::uint64_t r) { return static_cast<double>(r >> 40) - 8388608.0; });
        row(
            "sum of doubles", 8.0 * n, "CUB DeviceReduce", 1.00,
            with_storage([&](void* t, std::size_t& s) {
                return cub::DeviceReduce::Sum(t, s, in.data, a.data, n);
            }),
            [&] { reduce_sum(in.data, n, b.data); }, [&] { return differ(a, b, 1); });
    }
    {
        Buffer<float> in(n), a(1), b(1);
        fill(in,
             [] __device__(std::uint64_t r) { return static_cast<float>(r >> 40) - 8388608.0f; });
        row(
            "maximum of floats", 4.0 * n, "CUB DeviceReduce", 1.00,
            with_storage([&](void* t, std::size_t& s) {
                return cub::DeviceReduce::Max(t, s, in.data, a.data, n);
            }),
            [&] { reduce_max(in.data, n, b.data); }, [&] { return differ(a, b, 1); });
    }
}

void scans(std::size_t n) {
    Buffer<float> in(n), a(n), b(n);
    // Sums stay far below 2^24, so they are exact.
    fill(in, [] __device__(std::uint64_t r) {
        return static_cast<float>(static_cast<int>(r % 3) - 1);
    });
    row(
        "inclusive scan of floats", 8.0 * n, "CUB DeviceScan", 1.05,
        with_storage([&](void* t, std::size_t& s) {
            return cub::DeviceScan::InclusiveSum(t, s, in.data, a.data, n);
        }),
        [&] { scan_inclusive_float(in.data, n, b.data); }, [&] { return differ(a, b, n); });
}

template <class Sample, class Ours>
void histogram(const char* name, Buffer<Sample>& in, unsigned bins, double bar, Ours ours) {
    Buffer<unsigned> a(bins), b(bins);
    const std::size_t n = in.size;
    row(
        name, static_cast<double>(n) * sizeof(Sample), "CUB DeviceHistogram", bar,
        with_storage([&](void* t, std::size_t& s) {
            return cub::DeviceHistogram::HistogramEven(
                t, s, in.data, reinterpret_cast<int*>(a.data), static_cast<int>(bins) + 1, 0u, bins,
                static_cast<std::int64_t>(n));
        }),
        [&] { ours(in.data, n, b.data); }, [&] { return differ(a, b, bins); });
}

void histograms(std::size_t n) {
    {
        Buffer<unsigned char> in(4 * n);
        fill(in, [] __device__(std::uint64_t r) { return static_cast<unsigned char>(r); });
        histogram("histogram of bytes, uniform", in, 256, 1.3, histogram_bytes);
        fill(in, [] __device__(std::uint64_t) { return static_cast<unsigned char>(77); });
        histogram("histogram of bytes, constant", in, 256, 1.0, histogram_bytes);
    }
    Buffer<unsigned> in(n);
    for (const unsigned bins : {256u, 4096u, 65536u}) {
        fill(in, [bins] __device__(std::uint64_t r) { return static_cast<unsigned>(r % bins); });
        const std::string name = "histogram, " + std::to_string(bins) + " bins";
        histogram(name.c_str(), in, bins, bins == 65536 ? 1.0 : 0,
                  [bins](const unsigned* data, std::size_t size, unsigned* out) {
                      histogram_bins(data, size, out, bins);
                  });
    }
}

/// The sum as the handout defines it, with zeros outside.
__global__ void plain_1d(const float* in, long long n, const float* mask, int width, float* out) {
    const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int j = 0; j < width; ++j) {
        const long long k = i - width / 2 + j;
        if (k >= 0 && k < n) sum += mask[j] * in[k];
    }
    out[i] = sum;
}
template <class T, class Sum>
__global__ void plain_2d(const T* in, int width, int height, const T* mask, int m, T* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width) return;
    Sum sum = 0;
    for (int r = 0; r < m; ++r)
        for (int c = 0; c < m; ++c) {
            const int yy = y - m / 2 + r, xx = x - m / 2 + c;
            if (yy >= 0 && yy < height && xx >= 0 && xx < width)
                sum += static_cast<Sum>(mask[r * m + c]) *
                       static_cast<Sum>(in[static_cast<std::size_t>(yy) * width + xx]);
        }
    out[static_cast<std::size_t>(y) * width + x] = static_cast<T>(sum);
}

#if CUGRADE_HAS_CUDNN
constexpr bool cudnn_is_there = true;

void check(cudnnStatus_t status, const char* what, int line) {
    if (status == CUDNN_STATUS_SUCCESS) return;
    std::fprintf(stderr, "references.cu:%d: %s: %s\n", line, what, cudnnGetErrorString(status));
    std::exit(2);
}

/// The fastest that cuDNN finds for an image of one channel, in FP32 proper; empty if it has none.
std::function<void()> cudnn_convolution(const float* in, int width, int height, const float* mask,
                                        int mask_width, int mask_height, float* out) {
    static cudnnHandle_t handle = [] {
        cudnnHandle_t made;
        CHECK(cudnnCreate(&made));
        return made;
    }();
    cudnnTensorDescriptor_t image;
    cudnnFilterDescriptor_t filter;
    cudnnConvolutionDescriptor_t convolution;
    CHECK(cudnnCreateTensorDescriptor(&image));
    CHECK(cudnnSetTensor4dDescriptor(image, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, 1, 1, height,
                                     width));
    CHECK(cudnnCreateFilterDescriptor(&filter));
    CHECK(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 1, 1, mask_height,
                                     mask_width));
    CHECK(cudnnCreateConvolutionDescriptor(&convolution));
    CHECK(cudnnSetConvolution2dDescriptor(convolution, mask_height / 2, mask_width / 2, 1, 1, 1, 1,
                                          CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    CHECK(cudnnSetConvolutionMathType(convolution, CUDNN_FMA_MATH));
    cudnnConvolutionFwdAlgoPerf_t found[CUDNN_CONVOLUTION_FWD_ALGO_COUNT];
    int count = 0;
    if (cudnnFindConvolutionForwardAlgorithm(handle, image, filter, convolution, image,
                                             CUDNN_CONVOLUTION_FWD_ALGO_COUNT, &count,
                                             found) != CUDNN_STATUS_SUCCESS)
        count = 0;
    cudaGetLastError();
    if (count == 0 || found[0].status != CUDNN_STATUS_SUCCESS) return {};
    const auto algorithm = found[0].algo;
    auto workspace = std::make_shared<Buffer<unsigned char>>(found[0].memory);
    return [=] {
        const float one = 1, zero = 0;
        CHECK(cudnnConvolutionForward(handle, &one, image, in, filter, mask, convolution, algorithm,
                                      workspace->data, workspace->size, &zero, image, out));
    };
}
#else
constexpr bool cudnn_is_there = false;

std::function<void()> cudnn_convolution(const float*, int, int, const float*, int, int, float*) {
    return {};
}
#endif

/// A row beside cuDNN, if it is there and has the operation.
void cudnn_row(const std::string& name, double bytes, const std::function<void()>& peer,
               const std::function<void()>& ours,
               const std::function<unsigned long long()>& mismatches) {
    if (peer)
        row(name.c_str(), bytes, "cuDNN", 1.0, peer, ours, mismatches);
    else
        std::printf("%-34s %s\n", name.c_str(),
                    cudnn_is_there ? "cuDNN does not do this" : "built without cuDNN");
}

void convolutions(std::size_t n) {
    constexpr double share = 0.85;  // of the speed of a copy
    {
        constexpr int width = 9;
        Buffer<float> in(n), mask(width), a(n), b(n);
        fill(in, [] __device__(std::uint64_t r) { return static_cast<float>(r % 2001) - 1000.0f; });
        fill(mask, [] __device__(std::uint64_t r) { return static_cast<float>(r % 21) - 10.0f; });
        plain_1d<<<static_cast<unsigned>((n + 255) / 256), 256>>>(
            in.data, static_cast<long long>(n), mask.data, width, a.data);
        row(
            "convolution 1-D, 9 floats", 8.0 * n, "copy", share, copy(b.data, in.data, 4 * n),
            [&] { convolve_1d(in.data, n, mask.data, width, 0, b.data); },
            [&] { return differ(a, b, n); });
        cudnn_row(
            "convolution 1-D, 9 floats", 8.0 * n,
            cudnn_convolution(in.data, static_cast<int>(n), 1, mask.data, width, 1, b.data),
            [&] { convolve_1d(in.data, n, mask.data, width, 0, b.data); },
            [&] { return differ(a, b, n); });
    }
    int side = 1;
    while (static_cast<std::size_t>(side) * side * 4 <= n) side *= 2;
    const std::size_t pixels = static_cast<std::size_t>(side) * side;
    const dim3 grid((side + 255) / 256, side);
    {
        constexpr int width = 5;
        Buffer<unsigned char> in(pixels), mask(width * width), a(pixels), b(pixels);
        fill(in, [] __device__(std::uint64_t r) { return static_cast<unsigned char>(r); });
        fill(mask, [] __device__(std::uint64_t r) { return static_cast<unsigned char>(r); });
        plain_2d<unsigned char, unsigned>
            <<<grid, 256>>>(in.data, side, side, mask.data, width, a.data);
        row(
            "convolution 2-D, 5x5 bytes", 2.0 * pixels, "copy", share,
            copy(b.data, in.data, pixels),
            [&] { convolve_2d_bytes(in.data, side, side, mask.data, width, 0, b.data); },
            [&] { return differ(a, b, pixels); });
    }
    for (const int width : {3, 5, 7}) {
        Buffer<float> in(pixels), mask(width * width), a(pixels), b(pixels);
        fill(in, [] __device__(std::uint64_t r) { return static_cast<float>(r % 2001) - 1000.0f; });
        fill(mask, [] __device__(std::uint64_t r) { return static_cast<float>(r % 21) - 10.0f; });
        plain_2d<float, float><<<grid, 256>>>(in.data, side, side, mask.data, width, a.data);
        const std::string name =
            "convolution 2-D, " + std::to_string(width) + "x" + std::to_string(width) + " floats";
        row(
            name.c_str(), 8.0 * pixels, "copy", 0, copy(b.data, in.data, 4 * pixels),
            [&] { convolve_2d_float(in.data, side, side, mask.data, width, 0, b.data); },
            [&] { return differ(a, b, pixels); });
        cudnn_row(
            name, 8.0 * pixels,
            cudnn_convolution(in.data, side, side, mask.data, width, width, b.data),
            [&] { convolve_2d_float(in.data, side, side, mask.data, width, 0, b.data); },
            [&] { return differ(a, b, pixels); });
    }
}

}  // namespace

int main(int argc, char** argv) {
    int scale = 0;
    std::string only;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--scale") == 0 && i + 1 < argc)
            scale = std::atoi(argv[++i]);
        else if (std::strcmp(argv[i], "--repeats") == 0 && i + 1 < argc)
            repeats = std::max(1, std::atoi(argv[++i]));
        else if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else {
            std::fprintf(stderr,
                         "usage: references [--scale N] [--repeats N] [--only "
                         "reduction|scan|histogram|convolution]\n");
            return 1;
        }
    }
    const std::size_t n = std::size_t{1} << (28 - std::clamp(scale, 0, 12));
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    std::printf("%s, 2^%d elements (bytes: four times as many), median of %d\n", device.name,
                28 - std::clamp(scale, 0, 12), repeats);
    {
        Buffer<float> a(n), b(n);
        fill(a, [] __device__(std::uint64_t r) { return static_cast<float>(r >> 40); });
        const double us = times({copy(b.data, a.data, 4 * n)})[0];
        std::printf("%-34s %10.1f us %6.2f TB/s\n", "copy", us, 8.0 * n / us / 1e6);
    }
    const auto wanted = [&](const char* part) { return only.empty() || only == part; };
    if (wanted("reduction")) reductions(n);
    if (wanted("scan")) scans(n);
    if (wanted("histogram")) histograms(n);
    if (wanted("convolution")) convolutions(n);
    std::printf("%d comparisons, %d below the bar or wrong\n", rows, bad_rows);
    return bad_rows != 0 ? 3 : 0;
}
