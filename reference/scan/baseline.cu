// The baseline that speedups are measured against: Hillis and Steele's scan, one launch per step. In
// step d = 1, 2, 4, ... each element adds the one d places before it. It is right and simple, and
// each of its log2(n) steps reads and writes the whole array.
#include "interface.cuh"

namespace {

constexpr unsigned threads = 256;

__device__ std::size_t my_index() {
    return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// to[i] = from[i - shift], with zeros before the first: an exclusive scan is the inclusive scan
/// of the array moved by one.
template <class T>
__global__ void move(const T* from, std::size_t n, std::size_t shift, T* to) {
    const std::size_t i = my_index();
    if (i < n) to[i] = i < shift ? T(0) : from[i - shift];
}

template <class T> __global__ void step(const T* from, std::size_t n, std::size_t d, T* to) {
    const std::size_t i = my_index();
    if (i < n) to[i] = i < d ? from[i] : from[i - d] + from[i];
}

/// Device memory that holds whatever the last call left in it. It is kept from call to call: what
/// cudaMalloc and cudaFree take drifts, and with the baseline's time every speedup would.
void* scratch(std::size_t bytes) {
    static void* memory = nullptr;
    static std::size_t capacity = 0;
    if (bytes > capacity) {
        cudaFree(memory);
        cudaMalloc(&memory, bytes);
        capacity = bytes;
    }
    return memory;
}

/// Reads one buffer and writes the other in each step, so that no thread overwrites what another
/// one still has to read.
template <class T> void scan(const T* in, std::size_t n, std::size_t shift, T* out) {
    const auto blocks = static_cast<unsigned>((n + threads - 1) / threads);
    T* from = out;
    T* to = static_cast<T*>(scratch(n * sizeof(T)));
    move<<<blocks, threads>>>(in, n, shift, from);
    for (std::size_t d = 1; d < n; d *= 2) {
        step<<<blocks, threads>>>(from, n, d, to);
        T* const swap = from;
        from = to;
        to = swap;
    }
    if (from != out) cudaMemcpy(out, from, n * sizeof(T), cudaMemcpyDeviceToDevice);
}

}  // namespace

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan(in, n, 0, out); }
void scan_exclusive_int(const int* in, std::size_t n, int* out) { scan(in, n, 1, out); }
void scan_inclusive_float(const float* in, std::size_t n, float* out) { scan(in, n, 0, out); }
void scan_exclusive_float(const float* in, std::size_t n, float* out) { scan(in, n, 1, out); }
