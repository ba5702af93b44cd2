// cause: in_place line 106
// task: exclusive_int
// The row is shifted by one place within shared memory, where a warp may overwrite the element that the first lane of the next warp has yet to read.
#include "interface.cuh"

// Every block takes one contiguous part of the array and goes through it tile by tile. First the
// blocks only add up their parts; then the sums are scanned; then each part is scanned from there.
namespace parts {

constexpr int threads = 256;
constexpr int warps = threads / 32;
constexpr int most = 1024;

// What the threads before this one have in v, and what all of them have.
template <class T>
__device__ T before_me(T v, T& all) {
    __shared__ T of_warp[warps];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T inclusive = v;
    for (int d = 1; d < 32; d *= 2) {
        const T u = __shfl_up_sync(0xffffffffu, inclusive, d);
        if (lane >= d) inclusive += u;
    }
    if (lane == 31) of_warp[warp] = inclusive;
    __syncthreads();
    T result = __shfl_up_sync(0xffffffffu, inclusive, 1);
    if (lane == 0) result = 0;
    T front = 0, sum = 0;
    for (int w = 0; w < warps; ++w) {
        if (w == warp) front = sum;
        sum += of_warp[w];
    }
    __syncthreads();
    all = sum;
    return front + result;
}

template <class T>
__global__ void add_up(const T* in, std::size_t n, std::size_t part, T* sums) {
    const std::size_t begin = blockIdx.x * part;
    const std::size_t end = begin + part < n ? begin + part : n;
    T v = 0, all;
    for (std::size_t i = begin + threadIdx.x; i < end; i += threads) v += in[i];
    before_me(v, all);
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

template <class T, bool Inclusive>
__global__ void scan_parts(const T* in, std::size_t n, std::size_t part, const T* start, T* out) {
    const std::size_t begin = blockIdx.x * part;
    const std::size_t end = begin + part < n ? begin + part : n;
    T carry = start ? start[blockIdx.x] : T(0);
    for (std::size_t base = begin; base < end; base += threads) {
        const std::size_t i = base + threadIdx.x;
        const T v = i < end ? in[i] : T(0);
        T all;
        const T left = before_me(v, all) + carry;
        if (i < end) out[i] = Inclusive ? left + v : left;
        carry += all;
    }
}

template <class T, bool Inclusive>
void scan(const T* in, std::size_t n, T* out) {
    static T *sums = nullptr, *starts = nullptr;
    if (!sums) {
        cudaMalloc(&sums, most * sizeof(T));
        cudaMalloc(&starts, most * sizeof(T));
    }
    const std::size_t tiles = (n + threads - 1) / threads;
    const std::size_t part = (tiles + most - 1) / most * threads;
    const unsigned blocks = static_cast<unsigned>((n + part - 1) / part);
    add_up<T><<<blocks, threads>>>(in, n, part, sums);
    scan_parts<T, false><<<1, threads>>>(sums, blocks, blocks, nullptr, starts);
    scan_parts<T, Inclusive><<<blocks, threads>>>(in, n, part, starts, out);
}

}  // namespace parts

void scan_inclusive_int(const int* in, std::size_t n, int* out) {
    parts::scan<int, true>(in, n, out);
}
void scan_inclusive_float(const float* in, std::size_t n, float* out) {
    parts::scan<float, true>(in, n, out);
}
void scan_exclusive_float(const float* in, std::size_t n, float* out) {
    parts::scan<float, false>(in, n, out);
}

// My first version, after Kogge and Stone. Only the sums of its blocks go through the scan above.
constexpr int row_size = 512;

__global__ void kogge_stone(const int* in, std::size_t n, int* out, int* sums) {
    __shared__ int row[row_size];
    const int t = threadIdx.x;
    const std::size_t i = std::size_t{blockIdx.x} * row_size + t;
    row[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < row_size; d *= 2) {
        const int left = t >= d ? row[t - d] : 0;
        __syncthreads();
        row[t] += left;
        __syncthreads();
    }
    if (t == row_size - 1) sums[blockIdx.x] = row[t];
    row[t] = t > 0 ? row[t - 1] : 0;
    if (i < n) out[i] = row[t];
}

__global__ void add_start(int* out, std::size_t n, const int* start) {
    const std::size_t i = std::size_t{blockIdx.x} * row_size + threadIdx.x;
    if (i < n) out[i] += start[blockIdx.x];
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static int* sums = nullptr;
    static std::size_t room = 0;
    const std::size_t rows = (n + row_size - 1) / row_size;
    if (room < rows) {
        cudaFree(sums);
        cudaMalloc(&sums, 2 * rows * sizeof(int));
        room = rows;
    }
    kogge_stone<<<static_cast<unsigned>(rows), row_size>>>(in, n, out, sums);
    parts::scan<int, false>(sums, rows, sums + rows);
    add_start<<<static_cast<unsigned>(rows), row_size>>>(out, n, sums + rows);
}
