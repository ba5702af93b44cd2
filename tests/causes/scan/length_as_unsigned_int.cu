// cause: wrong_signature line 129
// task: exclusive_int
// The length is an unsigned int instead of a std::size_t, so this is another function, and the one of the interface is missing when the program is linked.
// Reduce, scan the sums, scan again: every block has one section of the array.
#include "interface.cuh"

#include <cuda_runtime.h>

#define FULL_MASK 0xffffffffu

constexpr int block_size = 512;
constexpr int warps_per_block = block_size / 32;
constexpr int max_sections = 512;   // not more than threads of a block

// where section s of `sections` begins; always a multiple of the block size, or n
struct Sections {
    size_t n;
    size_t per_section;
    __host__ __device__ size_t begin(size_t s) const { return s * per_section < n ? s * per_section : n; }
    __host__ __device__ size_t end(size_t s) const { return begin(s + 1); }
};

template <typename T>
struct BlockScan {
    T warp_total[warps_per_block];

    // inclusive; *total becomes the sum over the block
    __device__ T inclusive(T x, T* total)
    {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        for (int offset = 1; offset < 32; offset <<= 1) {
            T y = __shfl_up_sync(FULL_MASK, x, offset);
            if (lane >= offset) x = y + x;
        }
        if (lane == 31) warp_total[warp] = x;
        __syncthreads();
        T before = 0, sum = 0;
        for (int w = 0; w < warps_per_block; ++w) {
            if (w < warp) before += warp_total[w];
            sum += warp_total[w];
        }
        __syncthreads();   // warp_total may be used again
        *total = sum;
        return before + x;
    }

    // exclusive: what stands before this thread
    __device__ T exclusive(T x, T* total)
    {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        for (int offset = 1; offset < 32; offset <<= 1) {
            T y = __shfl_up_sync(FULL_MASK, x, offset);
            if (lane >= offset) x = y + x;
        }
        if (lane == 31) warp_total[warp] = x;
        T left = __shfl_up_sync(FULL_MASK, x, 1);
        if (lane == 0) left = 0;
        __syncthreads();
        T before = 0, sum = 0;
        for (int w = 0; w < warps_per_block; ++w) {
            if (w < warp) before += warp_total[w];
            sum += warp_total[w];
        }
        __syncthreads();
        *total = sum;
        return before + left;
    }
};

template <typename T>
__global__ void reduce_sections(const T* in, Sections sections, T* sums)
{
    __shared__ BlockScan<T> helper;
    T mine = 0;
    const size_t end = sections.end(blockIdx.x);
    for (size_t i = sections.begin(blockIdx.x) + threadIdx.x; i < end; i += block_size) mine += in[i];
    T total;
    helper.inclusive(mine, &total);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

template <typename T>
__global__ void scan_sums(T* sums, int count)
{
    __shared__ BlockScan<T> helper;
    const int t = threadIdx.x;
    T total;
    const T before = helper.exclusive(t < count ? sums[t] : T(0), &total);
    if (t < count) sums[t] = before;
}

template <typename T, bool Exclusive>
__global__ void scan_sections(const T* in, Sections sections, const T* sums, T* out)
{
    __shared__ BlockScan<T> helper;
    T carry = sums[blockIdx.x];
    const size_t end = sections.end(blockIdx.x);
    for (size_t first = sections.begin(blockIdx.x); first < end; first += block_size) {
        const size_t i = first + threadIdx.x;
        const T x = i < end ? in[i] : T(0);
        T total;
        const T s = Exclusive ? helper.exclusive(x, &total) : helper.inclusive(x, &total);
        if (i < end) out[i] = carry + s;
        carry += total;
    }
}

template <typename T, bool Exclusive>
void scan(const T* in, size_t n, T* out)
{
    static T* sums = nullptr;
    if (sums == nullptr) cudaMalloc((void**)&sums, max_sections * sizeof(T));

    const size_t pieces = (n + block_size - 1) / block_size;
    const size_t pieces_each = (pieces + max_sections - 1) / max_sections;
    const Sections sections{n, pieces_each * block_size};
    const int count = (int)((pieces + pieces_each - 1) / pieces_each);

    reduce_sections<T><<<count, block_size>>>(in, sections, sums);
    scan_sums<T><<<1, block_size>>>(sums, count);
    scan_sections<T, Exclusive><<<count, block_size>>>(in, sections, sums, out);
}

void scan_inclusive_int(const int* in, std::size_t n, int* out)
{
    scan<int, false>(in, n, out);
}

void scan_exclusive_int(const int* in, unsigned int n, int* out)
{
    scan<int, true>(in, n, out);
}

void scan_inclusive_float(const float* in, std::size_t n, float* out)
{
    scan<float, false>(in, n, out);
}

void scan_exclusive_float(const float* in, std::size_t n, float* out)
{
    scan<float, true>(in, n, out);
}
