// A program as a student may write it, for client_test.cpp: what it runs is chosen by its argument.
// It prints what differs from CUDA's behaviour and returns 1, or returns 0.
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

__constant__ float factors[4];
__device__ int counter = 7;

__global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i] * factors[1];
}
__global__ void __launch_bounds__(64) bounded(int* p) { *p = counter; }
__global__ void hello() { printf("hello from %d\n", threadIdx.x); }
__global__ void past_the_end(int* p, int n) { p[n + threadIdx.x] = 1; }
__global__ void use_shared(int* p) {
    extern __shared__ int more[];
    more[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    p[threadIdx.x] = more[31 - threadIdx.x];
}

#define EXPECT(call, wanted)                                                            \
    do {                                                                                \
        const cudaError_t e_ = (call);                                                  \
        if (e_ != (wanted)) {                                                           \
            std::printf("line %d: %s is %s\n", __LINE__, #call, cudaGetErrorName(e_));  \
            return 1;                                                                   \
        }                                                                               \
    } while (0)
#define OK(call) EXPECT(call, cudaSuccess)
/// An error that stays in cudaGetLastError until it is asked for, and no longer.
#define FAILS(call, wanted)                     \
    do {                                        \
        EXPECT(call, wanted);                   \
        EXPECT(cudaPeekAtLastError(), wanted);  \
        EXPECT(cudaGetLastError(), wanted);     \
        EXPECT(cudaGetLastError(), cudaSuccess); \
    } while (0)
#define TRUE(condition)                                              \
    do {                                                             \
        if (!(condition)) {                                          \
            std::printf("line %d: not %s\n", __LINE__, #condition);  \
            return 1;                                                \
        }                                                            \
    } while (0)

const int n = 3000000;  // more than one piece of a transfer, and not a multiple of the block

int results() {
    std::vector<float> a(n, 1.0f), b(n, 2.0f), c(n);
    float* d[3];
    for (float*& p : d) OK(cudaMalloc(&p, n * sizeof(float)));
    const float factor = 3;
    OK(cudaMemcpyToSymbol(factors, &factor, sizeof factor, sizeof factor));
    OK(cudaMemcpy(d[0], a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(d[1], b.data(), n * sizeof(float), cudaMemcpyDefault));
    add<<<(n + 255) / 256, 256>>>(d[0], d[1], d[2], n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(c.data(), d[2], n * sizeof(float), cudaMemcpyDeviceToHost));
    for (float x : c) TRUE(x == 7.0f);

    int seven = 0;
    bounded<<<1, 64>>>(reinterpret_cast<int*>(d[2]));
    OK(cudaMemcpy(&seven, d[2], sizeof seven, cudaMemcpyDeviceToHost));
    TRUE(seven == 7);
    OK(cudaMemcpyFromSymbol(&seven, counter, sizeof seven));
    TRUE(seven == 7);
    void* symbol;
    std::size_t bytes;
    OK(cudaGetSymbolAddress(&symbol, counter));
    OK(cudaGetSymbolSize(&bytes, factors));
    TRUE(bytes == 16);

    use_shared<<<1, 32, 128>>>(reinterpret_cast<int*>(d[2]));
    int reversed[32];
    OK(cudaMemcpy(reversed, d[2], sizeof reversed, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; ++i) TRUE(reversed[i] == 31 - i);

    std::printf("before\n");
    hello<<<1, 2>>>();
    OK(cudaDeviceSynchronize());
    std::printf("after\n");

    // Rows with a pitch, there and back.
    unsigned char rows[3][10], back[3][10] = {};
    for (int i = 0; i < 30; ++i) rows[i / 10][i % 10] = static_cast<unsigned char>(i);
    unsigned char* image;
    std::size_t pitch;
    OK(cudaMallocPitch(&image, &pitch, 10, 3));
    OK(cudaMemset2D(image, pitch, 255, 10, 3));
    OK(cudaMemcpy2D(image, pitch, rows, 10, 5, 3, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(back, 10, image, pitch, 10, 3, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 30; ++i) TRUE(back[i / 10][i % 10] == (i % 10 < 5 ? i : 255));
    FAILS(cudaMemcpy2D(image, 4, rows, 10, 5, 3, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);

    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaMemsetAsync(d[2], 0, n * sizeof(float), stream));
    OK(cudaMemcpyAsync(d[1], d[2], 4, cudaMemcpyDeviceToDevice, stream));
    add<<<1, 1, 0, stream>>>(d[0], d[1], d[2], 1);
    int called = 0;
    OK(cudaLaunchHostFunc(stream, [](void* p) { *static_cast<int*>(p) = 1; }, &called));
    cudaEvent_t start, stop;
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&stop));
    float ms = -1;
    FAILS(cudaEventElapsedTime(&ms, start, stop), cudaErrorInvalidResourceHandle);
    OK(cudaEventRecord(start, stream));
    OK(cudaEventRecord(stop, stream));
    OK(cudaStreamSynchronize(stream));
    TRUE(called == 1);
    OK(cudaEventElapsedTime(&ms, start, stop));
    TRUE(ms >= 0);
    OK(cudaStreamDestroy(stream));
    FAILS(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
    for (float* p : d) OK(cudaFree(p));
    return 0;
}

int errors() {
    int *p, *q = nullptr, host[4];
    OK(cudaMalloc(&p, 1024));
    OK(cudaFree(nullptr));
    OK(cudaMalloc(&q, 0));
    TRUE(q == nullptr);
    FAILS(cudaMemcpy(p, host, 1025, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(host, p, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(p, nullptr, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(p, host, 4, static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
    FAILS(cudaMemset(host, 0, 4), cudaErrorInvalidValue);
    FAILS(cudaFree(host), cudaErrorInvalidValue);
    FAILS(cudaFree(p + 1), cudaErrorInvalidValue);
    FAILS(cudaMalloc(&q, std::size_t{1} << 50), cudaErrorMemoryAllocation);
    FAILS(cudaMallocManaged(&q, std::size_t{1} << 50), cudaErrorMemoryAllocation);
    FAILS(cudaMemcpyToSymbol(host, host, 4), cudaErrorInvalidSymbol);
    FAILS(cudaMemcpyToSymbol(factors, host, 16, 4), cudaErrorInvalidValue);
    FAILS(cudaSetDevice(1), cudaErrorInvalidDevice);

    bounded<<<1, 65>>>(p);
    FAILS(cudaPeekAtLastError(), cudaErrorLaunchOutOfResources);
    hello<<<1, 1025>>>();
    FAILS(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
    hello<<<0, 32>>>();
    FAILS(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
    hello<<<dim3(1, 65536), 32>>>();
    FAILS(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
    hello<<<1, dim3(1, 1, 65)>>>();
    FAILS(cudaPeekAtLastError(), cudaErrorInvalidConfiguration);
    use_shared<<<1, 32, 50000>>>(p);
    FAILS(cudaPeekAtLastError(), cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 50000));
    use_shared<<<1, 32, 50000>>>(p);
    OK(cudaDeviceSynchronize());
    FAILS(cudaFuncSetAttribute(use_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
          cudaErrorInvalidValue);
    void* arguments[] = {&p};
    FAILS(cudaLaunchCooperativeKernel(use_shared, dim3(100000), dim3(32), arguments, 128, nullptr),
          cudaErrorCooperativeLaunchTooLarge);
    OK(cudaLaunchCooperativeKernel(use_shared, dim3(4), dim3(32), arguments, 128, nullptr));
    FAILS(cudaLaunchKernel(reinterpret_cast<const void*>(&host), dim3(1), dim3(1), arguments, 0, nullptr),
          cudaErrorInvalidDeviceFunction);

    OK(cudaFree(p));
    FAILS(cudaFree(p), cudaErrorInvalidValue);
    return 0;
}

int device() {
    int count = 0, value = 0, blocks = 0, size = 0;
    OK(cudaGetDeviceCount(&count));
    TRUE(count == 1);
    cudaDeviceProp properties;
    OK(cudaGetDeviceProperties(&properties, 0));
    TRUE(properties.major == 7 && properties.minor == 5 && properties.warpSize == 32);
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    TRUE(value == properties.multiProcessorCount && value > 0);
    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, bounded));
    TRUE(attributes.maxThreadsPerBlock == 64 && attributes.ptxVersion == 75);
    OK(cudaOccupancyMaxPotentialBlockSize(&blocks, &size, add, 0, 0));
    TRUE(blocks > 0 && size >= 32 && size <= 1024);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, add, 1024, 0));
    TRUE(value == 1);
    std::size_t available = 0, total = 0, less = 0;
    OK(cudaMemGetInfo(&available, &total));
    TRUE(available <= total && total == properties.totalGlobalMem);
    char* p;
    OK(cudaMalloc(&p, 1 << 20));
    OK(cudaMemGetInfo(&less, &total));
    TRUE(less + (1 << 20) <= available);
    cudaPointerAttributes pointer;
    OK(cudaPointerGetAttributes(&pointer, p));
    TRUE(pointer.type == cudaMemoryTypeDevice);
    OK(cudaPointerGetAttributes(&pointer, &value));
    TRUE(pointer.type == cudaMemoryTypeUnregistered);
    TRUE(std::strcmp(cudaGetErrorString(cudaErrorIllegalAddress),
                     "an illegal memory access was encountered") == 0);
    return 0;
}

/// The launch succeeds, the next call that waits says what happened, and so does all that follows.
int fault() {
    int* p;
    OK(cudaMalloc(&p, 256));
    past_the_end<<<1, 32>>>(p, 64);
    OK(cudaGetLastError());
    EXPECT(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError(), cudaErrorIllegalAddress);
    EXPECT(cudaMalloc(&p, 256), cudaErrorIllegalAddress);
    hello<<<1, 1>>>();
    EXPECT(cudaGetLastError(), cudaErrorIllegalAddress);
    return 0;
}

int host_dereference() {
    int* p;
    OK(cudaMalloc(&p, 256));
    return p[3];
}

int first_call() {
    int* p;
    const cudaError_t e = cudaMalloc(&p, 4);
    if (e == cudaSuccess) hello<<<1, 1>>>();
    std::printf("%s", cudaGetErrorName(e == cudaSuccess ? cudaGetLastError() : e));
    return 0;
}

/// Ends with a pointer that belongs to the grader, given as a number.
int free_foreign(const char* address) {
    auto* p = reinterpret_cast<void*>(std::stoull(address));
    EXPECT(cudaFree(p), cudaErrorInvalidValue);
    OK(cudaMemset(p, 1, 4));
    return 0;
}

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const std::map<std::string, int (*)()> modes = {
        {"results", results}, {"errors", errors},      {"device", device},
        {"fault", fault},     {"host_dereference", host_dereference}, {"first_call", first_call}};
    if (what == "free_foreign" && argc > 2) return free_foreign(argv[2]);
    const auto mode = modes.find(what);
    return mode == modes.end() ? 2 : mode->second();
}
