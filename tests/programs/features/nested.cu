// Kernels that launch kernels: order, streams, events, memory and errors. Compile with -rdc=true.
// What is printed is what CUDA promises, whatever the schedule.
#include "check.h"

#include <cstring>

// ------------------------------------------------ the recursive reduction, by tail launch

/// Adds the upper half to the lower half and launches itself, smaller, for what comes after it.
__global__ void halve(long long* data, int n, long long* out) {
    const int half = (n + 1) / 2;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + half < n) data[i] += data[i + half];
    if (i != 0) return;
    if (half == 1)
        *out = data[0];
    else
        halve<<<(half / 2 + 127) / 128, 128, 0, cudaStreamTailLaunch>>>(data, half, out);
}

// ------------------------------------------------------------------------ order and arguments

__device__ int written = 0;
__device__ int log_of[64];

struct Small {
    char tag;
    double number;
};

__global__ void note(int what) { log_of[atomicAdd(&written, 1)] = what; }
__global__ void note_all(Small s, short a, char b, dim3 size) {
    extern __shared__ int scratch[];
    scratch[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 1 && blockIdx.y == 2 && scratch[blockDim.x - 1] == 1)
        printf("child: %c %.2f %d %c %d %d\n", s.tag, s.number, a, b, size.y, gridDim.y);
}

/// Two in the block's stream, each with a child of its own; a tail; the tail's own tail.
__global__ void tail(int n) {
    note<<<1, 1>>>(n);
    if (n < 202) tail<<<1, 1, 0, cudaStreamTailLaunch>>>(n + 1);
}
__global__ void parent_of(int what) { note<<<1, 1>>>(what); }
__global__ void ordered() {
    tail<<<1, 1, 0, cudaStreamTailLaunch>>>(200);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(300);
    note<<<1, 1>>>(1);
    parent_of<<<1, 1>>>(2);
    note<<<1, 1>>>(3);
    note_all<<<dim3(2, 3), 32, 128>>>({'s', 1.25}, -7, 'c', dim3(1, 9));
}

/// A stream waits for an event of another one, although it is given its work first in neither.
__global__ void with_events(int* data) {
    cudaStream_t first, second;
    cudaEvent_t event;
    if (cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking) != cudaSuccess ||
        cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking) != cudaSuccess ||
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess)
        return;
    cudaMemsetAsync(data, 0x11, 8, first);
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
    cudaMemcpyAsync(data + 2, data, 8, cudaMemcpyDeviceToDevice, second);
    cudaEventDestroy(event);
    cudaStreamDestroy(first);
    cudaStreamDestroy(second);
}

// ------------------------------------------------------------------------------------- errors

__global__ void nothing() {}
__global__ void __launch_bounds__(64) bounded() {}

__device__ void report(const char* what) {
    const cudaError_t peeked = cudaPeekAtLastError(), error = cudaGetLastError();
    printf("%s: %s, %s%s\n", what, cudaGetErrorName(error), cudaGetErrorString(error),
           peeked == error && cudaGetLastError() == cudaSuccess ? "" : " (WRONG)");
}

__global__ void errors(void* of_host) {
    nothing<<<1, 1>>>();
    report("a launch");
    nothing<<<1, 2000>>>();
    report("2000 threads");
    nothing<<<0, 1>>>();
    report("no blocks");
    nothing<<<1, dim3(1, 1, 65)>>>();
    report("65 deep");
    bounded<<<1, 65>>>();
    report("bounds of 64");
    nothing<<<1, 1, 1 << 20>>>();
    report("1 MiB of shared memory");
    nothing<<<1, 1, 0, (cudaStream_t)0x1234>>>();
    report("no stream");
    cudaStream_t stream;
    printf("a blocking stream: %d\n", cudaStreamCreateWithFlags(&stream, cudaStreamDefault));
    void* p = nullptr;
    printf("memory: %d", cudaMalloc(&p, 16));
    printf(" %d %d\n", cudaFree(p), cudaFree(p));
    printf("the host's memory: %d\n", cudaFree(of_host));
}

__device__ int deepest = 0;
__device__ cudaError_t at_the_end;
__global__ void deeper(int depth) {
    atomicMax(&deepest, depth);
    deeper<<<1, 1, 0, cudaStreamFireAndForget>>>(depth + 1);
    if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) at_the_end = error;
}
__global__ void chain(int n, int* count) {
    ++*count;
    if (n > 1) chain<<<1, 1, 0, cudaStreamTailLaunch>>>(n - 1, count);
}
__device__ int refused = 0;
__global__ void many(int n) {
    for (int i = 0; i < n; ++i) {
        nothing<<<1, 1, 0, cudaStreamTailLaunch>>>();
        if (cudaGetLastError() == cudaErrorLaunchPendingCountExceeded) ++refused;
    }
}

int main() {
    for (const int n : {1, 2, 3, 127, 256, 1000, 65537}) {
        long long *data, *out, sum = 0;
        CUDA(cudaMallocManaged(&data, n * sizeof *data));
        CUDA(cudaMallocManaged(&out, sizeof *out));
        for (int i = 0; i < n; ++i) sum += data[i] = 3LL * i - n;
        *out = -1;
        halve<<<((n + 1) / 2 + 127) / 128, 128>>>(data, n, out);
        CUDA(cudaDeviceSynchronize());
        if (*out != sum) std::printf("sum of %d: %lld instead of %lld\n", n, *out, sum);
        CUDA(cudaFree(data));
        CUDA(cudaFree(out));
    }

    ordered<<<1, 1>>>();
    CUDA(cudaDeviceSynchronize());
    int count = 0, log[64];
    CUDA(cudaMemcpyFromSymbol(&count, written, sizeof count));
    CUDA(cudaMemcpyFromSymbol(log, log_of, sizeof log));
    std::printf("order:");
    for (int i = 0; i < count; ++i) std::printf(" %d", log[i]);
    std::printf("\n");

    int* data;
    CUDA(cudaMallocManaged(&data, 4 * sizeof(int)));
    std::memset(data, 0, 4 * sizeof(int));
    with_events<<<1, 1>>>(data);
    CUDA(cudaDeviceSynchronize());
    std::printf("copied: %x %x\n", data[2], data[3]);

    errors<<<1, 1>>>(data);
    CUDA(cudaDeviceSynchronize());

    deeper<<<1, 1>>>(0);
    CUDA(cudaDeviceSynchronize());
    cudaError_t error;
    CUDA(cudaMemcpyFromSymbol(&count, deepest, sizeof count));
    CUDA(cudaMemcpyFromSymbol(&error, at_the_end, sizeof error));
    std::printf("deepest: %d, then %s\n", count, cudaGetErrorName(error));

    *data = 0;
    chain<<<1, 1>>>(3000, data);
    CUDA(cudaDeviceSynchronize());
    std::printf("chain: %d\n", *data);

    std::size_t limit = 0;
    CUDA(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    many<<<1, 1>>>(3000);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpyFromSymbol(&count, refused, sizeof count));
    std::printf("of 3000 at once: %d refused, limit %zu\n", count, limit);
    CUDA(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4000));
    many<<<1, 1>>>(3000);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpyFromSymbol(&limit, refused, sizeof count));
    std::printf("with a limit of 4000: %d refused\n", static_cast<int>(limit) - count);
}
