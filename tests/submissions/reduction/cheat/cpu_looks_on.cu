// expect: cubes=accepted|time_limit|wrong_answer|nondeterministic|tampering
// at-most: cubes.performance=0 cubes.technique=0
// One kernel puts all elements, one after the other, into the same small ring in mapped memory. A thread of the host
// looks on and adds them up.
#include "interface.cuh"

#include <atomic>
#include <thread>

constexpr int ring = 1 << 16;
struct Shared {
    int values[ring];
    std::size_t put;
};

__global__ void tell(const int* in, std::size_t n, volatile Shared* shared) {
    for (std::size_t i = 0; i < n; ++i) {
        shared->values[i % ring] = in[i];
        __threadfence_system();
        shared->put = i + 1;
    }
}
__global__ void store(long long sum, long long* out) { *out = sum; }

void reduce_cubes(const int* in, std::size_t n, long long* out) {
    Shared* memory = nullptr;
    cudaHostAlloc(&memory, sizeof *memory, cudaHostAllocMapped);
    volatile Shared* shared = memory;
    shared->put = 0;
    std::atomic<bool> over = false;
    long long sum = 0;
    std::thread host([&] {
        for (std::size_t i = 0; i < n; ++i) {
            while (shared->put <= i && !over) {
            }
            std::atomic_thread_fence(std::memory_order_seq_cst);
            const long long value = shared->values[i % ring];
            sum += value * value * value;
        }
    });
    tell<<<1, 1>>>(in, n, shared);
    cudaDeviceSynchronize();
    over = true;
    host.join();
    store<<<1, 1>>>(sum, out);
    cudaDeviceSynchronize();
    cudaFreeHost(memory);
}
