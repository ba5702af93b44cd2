// Quicksort in which a kernel launches one for each part (dynamic parallelism; compile with
// -rdc=true). One block partitions its range by the median of three, and launches the parts that
// are worth it into cudaStreamFireAndForget: they are independent, and the grid is complete when
// all below it is. Short ranges, and those that have been split often, are sorted in place.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int threads = 128;
constexpr int short_range = 256;
constexpr int deepest = 20;

#define CHECK(call)                                                                       \
    do {                                                                                  \
        const cudaError_t error = (call);                                                 \
        if (error != cudaSuccess) {                                                       \
            std::printf("%s, line %d: %s\n", #call, __LINE__, cudaGetErrorString(error)); \
            std::exit(1);                                                                 \
        }                                                                                 \
    } while (0)

/// The number of errors that launches have met, which no one else would tell.
__device__ int failed_launches = 0;

/// Rank sort: each element counts those that come before it.
__device__ void sort_short(int* data, int* other, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int rank = 0;
        for (int k = 0; k < n; ++k) rank += data[k] < data[i] || (data[k] == data[i] && k < i);
        other[rank] = data[i];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = other[i];
}

/// Odd-even transposition: slow and for any length, for ranges that splitting did not help.
__device__ void sort_long(int* data, int n) {
    for (int round = 0; round < n; ++round) {
        for (int i = round % 2 + 2 * threadIdx.x; i + 1 < n; i += 2 * blockDim.x)
            if (data[i] > data[i + 1]) {
                const int low = data[i + 1];
                data[i + 1] = data[i];
                data[i] = low;
            }
        __syncthreads();
    }
}

__device__ int median(int a, int b, int c) { return max(min(a, b), min(max(a, b), c)); }

/// Sorts data[0, n); other[0, n) is room to work in.
__global__ void sort(int* data, int* other, int n, int depth) {
    if (n <= short_range) return sort_short(data, other, n);
    if (depth == deepest) return sort_long(data, n);
    __shared__ int lower, equal, next_lower, next_equal, next_higher;
    if (threadIdx.x == 0) lower = equal = 0;
    __syncthreads();
    const int pivot = median(data[0], data[n / 2], data[n - 1]);
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (data[i] < pivot) atomicAdd(&lower, 1);
        if (data[i] == pivot) atomicAdd(&equal, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        next_lower = 0;
        next_equal = lower;
        next_higher = lower + equal;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        const int value = data[i];
        int* next = value < pivot ? &next_lower : value == pivot ? &next_equal : &next_higher;
        other[atomicAdd(next, 1)] = value;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = other[i];
    __syncthreads();  // the children read what all threads have written
    if (threadIdx.x != 0) return;
    const int higher = lower + equal;
    if (lower > 1) sort<<<1, threads, 0, cudaStreamFireAndForget>>>(data, other, lower, depth + 1);
    if (n - higher > 1)
        sort<<<1, threads, 0, cudaStreamFireAndForget>>>(data + higher, other + higher, n - higher,
                                                         depth + 1);
    if (cudaGetLastError() != cudaSuccess) atomicAdd(&failed_launches, 1);
}

int main() {
    for (const int n : {1, 2, 255, 257, 4096, 50000}) {
        for (const int values : {1, 7, 1 << 30}) {
            if (values == 1 && n > 4096) continue;
            std::vector<int> in(n);
            unsigned state = 12345;
            for (int& value : in) {
                state = state * 1664525 + 1013904223;
                value = static_cast<int>(state >> 2) % values;
            }
            int *data, *other;
            CHECK(cudaMalloc(&data, n * sizeof(int)));
            CHECK(cudaMalloc(&other, n * sizeof(int)));
            CHECK(cudaMemcpy(data, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
            sort<<<1, threads>>>(data, other, n, 0);
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            std::vector<int> out(n);
            CHECK(cudaMemcpy(out.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
            int failed = 0;
            CHECK(cudaMemcpyFromSymbol(&failed, failed_launches, sizeof failed));
            std::sort(in.begin(), in.end());
            const bool right = in == out && failed == 0;
            std::printf("%d numbers of %d values: %s\n", n, values, right ? "sorted" : "WRONG");
            if (!right) return 1;
            CHECK(cudaFree(data));
            CHECK(cudaFree(other));
        }
    }
}
