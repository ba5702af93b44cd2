// Does a tree pay, to add up the 256 partial sums of a block? In clock cycles, as a course report
// measured it: the sum of cubes of 2^20 ints by 32 blocks of 256 threads.
//
// Thread 0 of each block reads clock64() three times: at the start, when all threads have put their
// partial sums into shared memory, and when the block's sum is there. `kernel` is the report's
// figure, the last end less the first start of all blocks; the clocks of two multiprocessors need
// not agree, so `block`, the slowest block by its own clock, is there beside it. `addition` is what
// the two ways differ in: the median over the blocks. Every figure is the median of the launches
// after the first, and the first launch, for which nothing is in a cache yet, is in brackets. The
// result is checked against the CPU's.
//
// On the emulated GPU (`cugrade run examples/tree_or_serial.cu`) a clock counts what a warp has
// issued, so there the columns say which way executes less, not which is faster.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                            \
    do {                                                                       \
        const cudaError_t error = (call);                                      \
        if (error != cudaSuccess) {                                            \
            std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                         cudaGetErrorString(error));                           \
            std::exit(2);                                                      \
        }                                                                      \
    } while (false)

namespace {

constexpr int elements = 1 << 20;
constexpr int blocks = 32;
constexpr int threads = 256;
constexpr int launches = 22;  // the first stands for itself

enum class Way { serial, neighbours, halves };

struct Clocks {
    long long start, loaded, end;
};

template <Way way>
__global__ void sum_of_cubes(const int* in, int* sums, Clocks* clocks) {
    __shared__ int partial[threads];
    const int thread = static_cast<int>(threadIdx.x);
    Clocks mine{};
    if (thread == 0) mine.start = clock64();

    int sum = 0;
    for (int i = static_cast<int>(blockIdx.x) * threads + thread; i < elements;
         i += blocks * threads)
        sum += in[i] * in[i] * in[i];
    partial[thread] = sum;
    __syncthreads();
    if (thread == 0) mine.loaded = clock64();

    if constexpr (way == Way::serial) {
        if (thread == 0)
            for (int i = 1; i < threads; ++i) partial[0] += partial[i];
    } else if constexpr (way == Way::neighbours) {  // the report's: all warps diverge in every step
        for (int offset = 1; offset < threads; offset *= 2) {
            if (thread % (2 * offset) == 0) partial[thread] += partial[thread + offset];
            __syncthreads();
        }
    } else {
        for (int offset = threads / 2; offset > 0; offset /= 2) {
            if (thread < offset) partial[thread] += partial[thread + offset];
            __syncthreads();
        }
    }
    if (thread == 0) {
        sums[blockIdx.x] = partial[0];
        mine.end = clock64();
        clocks[blockIdx.x] = mine;
    }
}

struct Figures {
    long long kernel, block, addition;
};

Figures figures_of(const std::vector<Clocks>& clocks) {
    Figures out{};
    long long first = clocks[0].start, last = clocks[0].end;
    std::vector<long long> additions;
    for (const Clocks& c : clocks) {
        first = std::min(first, c.start);
        last = std::max(last, c.end);
        out.block = std::max(out.block, c.end - c.start);
        additions.push_back(c.end - c.loaded);
    }
    std::sort(additions.begin(), additions.end());
    out.kernel = last - first;
    out.addition = additions[additions.size() / 2];
    return out;
}

long long median(const std::vector<Figures>& all, long long Figures::*figure) {
    std::vector<long long> values;
    for (std::size_t i = 1; i < all.size(); ++i) values.push_back(all[i].*figure);
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// Prints the row; false if the sum is wrong.
bool measure(const char* name, void (*kernel)(const int*, int*, Clocks*), const int* in, int* sums,
             Clocks* clocks, int expected) {
    std::vector<Figures> all;
    for (int launch = 0; launch < launches; ++launch) {
        kernel<<<blocks, threads>>>(in, sums, clocks);
        CHECK(cudaGetLastError());
        std::vector<int> host_sums(blocks);
        std::vector<Clocks> host_clocks(blocks);
        CHECK(cudaMemcpy(host_sums.data(), sums, blocks * sizeof(int), cudaMemcpyDeviceToHost));
        CHECK(cudaMemcpy(host_clocks.data(), clocks, blocks * sizeof(Clocks),
                         cudaMemcpyDeviceToHost));
        int sum = 0;
        for (const int s : host_sums) sum += s;
        if (sum != expected) {
            std::printf("%s: the sum is %d, and the CPU says %d\n", name, sum, expected);
            return false;
        }
        all.push_back(figures_of(host_clocks));
    }
    const Figures& cold = all.front();
    std::printf("| %-26s | %8lld (%8lld) | %8lld (%8lld) | %6lld (%6lld) |\n", name,
                median(all, &Figures::kernel), cold.kernel, median(all, &Figures::block),
                cold.block, median(all, &Figures::addition), cold.addition);
    return true;
}

}  // namespace

int main() {
    std::vector<int> host(elements);
    unsigned random = 1;
    int expected = 0;
    for (int& value : host) {
        random = random * 1664525u + 1013904223u;
        value = static_cast<int>(random >> 24) % 10;
        expected += value * value * value;
    }
    int* in = nullptr;
    int* sums = nullptr;
    Clocks* clocks = nullptr;
    CHECK(cudaMalloc(&in, elements * sizeof(int)));
    CHECK(cudaMalloc(&sums, blocks * sizeof(int)));
    CHECK(cudaMalloc(&clocks, blocks * sizeof(Clocks)));
    cudaDeviceProp device{};
    CHECK(cudaGetDeviceProperties(&device, 0));
    std::printf(
        "%s: sum of cubes of 2^20 ints, %d blocks of %d threads, clock cycles,\n"
        "median of %d launches (the first launch)\n\n"
        "| %-26s | %-19s | %-19s | %-15s |\n|---|---|---|---|\n",
        device.name, blocks, threads, launches - 1, "a block's sums are added by", "kernel",
        "block", "addition");
    bool right = true;
    const auto row = [&](const char* name, void (*kernel)(const int*, int*, Clocks*)) {
        // Copied anew, so that the first launch of each finds as much in the caches.
        CHECK(cudaMemcpy(in, host.data(), elements * sizeof(int), cudaMemcpyHostToDevice));
        right = measure(name, kernel, in, sums, clocks, expected) && right;
    };
    row("one thread", sum_of_cubes<Way::serial>);
    row("a tree of neighbours", sum_of_cubes<Way::neighbours>);
    row("a tree of halves", sum_of_cubes<Way::halves>);
    std::printf("| %-26s | %8d %10s | %19s | %15s |\n", "published, one thread", 144185, "", "",
                "");
    std::printf("| %-26s | %8d %10s | %19s | %15s |\n", "published, a tree", 133738, "", "", "");
    CHECK(cudaFree(in));
    CHECK(cudaFree(sums));
    CHECK(cudaFree(clocks));
    return right ? 0 : 1;
}
