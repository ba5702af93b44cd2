// What CUDA promises of streams, whatever the schedule: all of it is checked. Then what it does not
// promise is printed, for there schedules differ.
#include "check.h"

#include <cstring>
#include <vector>

__global__ void add(int* x, int by, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += by;
}
__global__ void multiply(int* x, int by, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}
__global__ void say(int number) { printf("kernel %d\n", number); }

const int n = 1000, bytes = n * sizeof(int);

struct Streams {
    cudaStream_t first, second, blocking;
    cudaEvent_t event, other;
    int *x, *y, *pinned;
    Streams() {
        CUDA(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
        CUDA(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
        CUDA(cudaStreamCreate(&blocking));
        CUDA(cudaEventCreate(&event));
        CUDA(cudaEventCreateWithFlags(&other, cudaEventDisableTiming));
        CUDA(cudaMalloc(&x, bytes));
        CUDA(cudaMalloc(&y, bytes));
        CUDA(cudaMallocHost(&pinned, bytes));
        clear();
    }
    ~Streams() {
        CUDA(cudaFree(x));
        CUDA(cudaFree(y));
        CUDA(cudaFreeHost(pinned));
        for (cudaStream_t s : {first, second, blocking}) CUDA(cudaStreamDestroy(s));
        for (cudaEvent_t e : {event, other}) CUDA(cudaEventDestroy(e));
    }
    void clear() {
        CUDA(cudaMemset(x, 0, bytes));
        CUDA(cudaMemset(y, 0, bytes));
        CUDA(cudaDeviceSynchronize());
        std::memset(pinned, 0, bytes);
    }
    static bool all(const int* device, int value) {
        std::vector<int> host(n);
        CUDA(cudaMemcpy(host.data(), device, bytes, cudaMemcpyDeviceToHost));
        for (const int v : host)
            if (v != value) return false;
        return true;
    }
};

void in_order_in_a_stream(Streams& s) {
    add<<<4, 256, 0, s.first>>>(s.x, 3, n);
    multiply<<<4, 256, 0, s.first>>>(s.x, 5, n);
    CUDA(cudaMemcpyAsync(s.y, s.x, bytes, cudaMemcpyDeviceToDevice, s.first));
    CUDA(cudaMemsetAsync(s.x, 0, bytes, s.first));
    add<<<4, 256, 0, s.first>>>(s.x, 1, n);
    CUDA(cudaStreamSynchronize(s.first));
    EXPECT(Streams::all(s.x, 1) && Streams::all(s.y, 15));
}

void events_order_streams(Streams& s) {
    for (int round = 0; round < 5; ++round) {
        add<<<4, 256, 0, s.first>>>(s.x, 1, n);
        CUDA(cudaEventRecord(s.event, s.first));
        CUDA(cudaStreamWaitEvent(s.second, s.event, 0));
        multiply<<<4, 256, 0, s.second>>>(s.x, 2, n);
        CUDA(cudaEventRecord(s.other, s.second));
        CUDA(cudaStreamWaitEvent(s.first, s.other, 0));
    }
    CUDA(cudaStreamSynchronize(s.first));
    EXPECT(Streams::all(s.x, 62));
    // An event that was recorded again is waited for as it was when the wait was asked for.
    add<<<4, 256, 0, s.first>>>(s.y, 1, n);
    CUDA(cudaEventRecord(s.event, s.first));
    CUDA(cudaStreamWaitEvent(s.second, s.event, 0));
    multiply<<<4, 256, 0, s.second>>>(s.y, 7, n);
    CUDA(cudaEventRecord(s.event, s.second));
    CUDA(cudaEventSynchronize(s.event));
    EXPECT(Streams::all(s.y, 7));
    CUDA(cudaStreamWaitEvent(nullptr, s.event, 0));
}

void default_stream_and_blocking_ones(Streams& s) {
    add<<<4, 256, 0, s.blocking>>>(s.x, 3, n);
    multiply<<<4, 256>>>(s.x, 5, n);
    add<<<4, 256, 0, s.blocking>>>(s.x, 1, n);
    EXPECT(Streams::all(s.x, 16));
    add<<<4, 256, 0, cudaStreamPerThread>>>(s.y, 2, n);
    CUDA(cudaMemset(s.y, 0, 4));
    EXPECT(!Streams::all(s.y, 2));
    CUDA(cudaMemset(s.y + 1, 0, bytes - 4));
    EXPECT(Streams::all(s.y, 0));
}

void copies(Streams& s) {
    // Pageable memory may change as soon as the call is back, pinned memory when the copy is done.
    std::vector<int> pageable(n, 7);
    CUDA(cudaMemcpyAsync(s.x, pageable.data(), bytes, cudaMemcpyHostToDevice, s.first));
    pageable.assign(n, 0);
    multiply<<<4, 256, 0, s.first>>>(s.x, 6, n);
    CUDA(cudaMemcpyAsync(pageable.data(), s.x, bytes, cudaMemcpyDeviceToHost, s.first));
    CUDA(cudaStreamSynchronize(s.first));
    for (const int v : pageable) EXPECT(v == 42);
    for (int i = 0; i < n; ++i) s.pinned[i] = i;
    CUDA(cudaMemcpyAsync(s.x, s.pinned, bytes, cudaMemcpyHostToDevice, s.first));
    add<<<4, 256, 0, s.first>>>(s.x, 1, n);
    CUDA(cudaMemcpyAsync(s.pinned, s.x, bytes, cudaMemcpyDeviceToHost, s.first));
    CUDA(cudaStreamSynchronize(s.first));
    for (int i = 0; i < n; ++i) EXPECT(s.pinned[i] == i + 1);
    // A column of a matrix of 10 by 100.
    std::vector<int> column(100, 5);
    CUDA(cudaMemsetAsync(s.x, 0, bytes, s.first));
    CUDA(cudaMemcpy2DAsync(s.x + 3, 40, column.data(), 4, 4, 100, cudaMemcpyHostToDevice, s.first));
    column.assign(100, 0);
    CUDA(cudaMemset2DAsync(s.x + 4, 40, 0xFF, 4, 100, s.first));
    CUDA(cudaStreamSynchronize(s.first));
    CUDA(cudaMemcpy(s.pinned, s.x, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i) EXPECT(s.pinned[i] == (i % 10 == 3 ? 5 : i % 10 == 4 ? -1 : 0));
}

void callbacks_and_polling(Streams& s) {
    add<<<4, 256, 0, s.first>>>(s.x, 3, n);
    CUDA(cudaMemcpyAsync(s.pinned, s.x, bytes, cudaMemcpyDeviceToHost, s.first));
    struct Sum {
        const int* from;
        volatile int sum;
    } sum{s.pinned, 0};
    CUDA(cudaLaunchHostFunc(
        s.first,
        [](void* p) {
            auto* const to = static_cast<Sum*>(p);
            for (int i = 0; i < n; ++i) to->sum = to->sum + to->from[i];
        },
        &sum));
    while (sum.sum != 3 * n) {
    }
    CUDA(cudaMemsetAsync(s.pinned, 0, bytes, s.first));
    CUDA(cudaEventRecord(s.event, s.first));
    while (cudaEventQuery(s.event) == cudaErrorNotReady) {
    }
    EXPECT(cudaEventQuery(s.event) == cudaSuccess && s.pinned[n - 1] == 0);
    add<<<4, 256, 0, s.second>>>(s.pinned, 9, n);
    while (cudaStreamQuery(s.second) == cudaErrorNotReady) {
    }
    EXPECT(s.pinned[n - 1] == 9);
    EXPECT(cudaPeekAtLastError() == cudaSuccess);
    // A flag in memory that the host shares, and no call.
    add<<<4, 256, 0, s.first>>>(s.pinned, 1, n);
    while (static_cast<volatile int*>(s.pinned)[n - 1] != 10) {
    }
    CUDA(cudaDeviceSynchronize());
}

void memory_in_order(Streams& s) {
    int* temporary;
    CUDA(cudaMallocAsync(&temporary, bytes, s.first));
    CUDA(cudaMemsetAsync(temporary, 0, bytes, s.first));
    add<<<4, 256, 0, s.first>>>(temporary, 4, n);
    CUDA(cudaMemcpyAsync(s.x, temporary, bytes, cudaMemcpyDeviceToDevice, s.first));
    CUDA(cudaFreeAsync(temporary, s.first));
    cudaStream_t gone;
    CUDA(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking));
    add<<<4, 256, 0, gone>>>(s.y, 6, n);
    CUDA(cudaStreamDestroy(gone));  // what it holds is done all the same
    CUDA(cudaDeviceSynchronize());
    EXPECT(Streams::all(s.x, 4) && Streams::all(s.y, 6));
    // More than a stream holds.
    for (int i = 0; i < 3000; ++i) add<<<1, 1, 0, s.second>>>(s.y, 1, 1);
    int first = 0;
    CUDA(cudaStreamSynchronize(s.second));
    CUDA(cudaMemcpy(&first, s.y, sizeof first, cudaMemcpyDeviceToHost));
    EXPECT(first == 3006);
}

void times(Streams& s) {
    float ms = -1;
    cudaEvent_t end;
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventRecord(s.event, s.first));
    add<<<4, 256, 0, s.first>>>(s.x, 1, n);
    CUDA(cudaEventRecord(end, s.first));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&ms, s.event, end));
    EXPECT(ms > 0 && ms < 60000);
    CUDA(cudaEventDestroy(end));
}

void errors(Streams& s) {
    // Told by the call itself.
    add<<<1, 2000, 0, s.first>>>(s.x, 1, n);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    EXPECT(cudaMemcpyAsync(s.x, s.pinned, bytes + 4, cudaMemcpyHostToDevice, s.first) == cudaErrorInvalidValue);
    EXPECT(cudaMemsetAsync(s.x + n, 0, 4, s.first) == cudaErrorInvalidValue);
    (void)cudaGetLastError();
    CUDA(cudaDeviceSynchronize());
}

int main(int argc, char**) {
    void (*const promises[])(Streams&) = {
        in_order_in_a_stream, events_order_streams, default_stream_and_blocking_ones, copies,
        callbacks_and_polling, memory_in_order, times, errors};
    {
        Streams s;
        for (const auto promise : promises) {
            promise(s);
            s.clear();
        }
    }
    std::printf("kept\n");
    std::fflush(stdout);
    if (argc == 1) return 0;
    Streams s;
    // A kernel beside the default stream, a copy from pinned memory that changes, two streams.
    add<<<4, 256, 0, s.first>>>(s.x, 1, n);
    multiply<<<4, 256>>>(s.x, 5, n);
    s.pinned[0] = 1;
    CUDA(cudaMemcpyAsync(s.y, s.pinned, 4, cudaMemcpyHostToDevice, s.first));
    s.pinned[0] = 2;
    say<<<1, 1, 0, s.first>>>(1);
    say<<<1, 1, 0, s.second>>>(2);
    CUDA(cudaDeviceSynchronize());
    int x = 0, y = 0;
    CUDA(cudaMemcpy(&x, s.x, 4, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(&y, s.y, 4, cudaMemcpyDeviceToHost));
    std::printf("x %d, y %d\n", x, y);
    return 0;
}
