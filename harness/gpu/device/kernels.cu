// The grader's kernels. They are compiled to PTX for compute_75, which the driver translates for
// the GPU at hand, and each is bound by memory, so none is tuned further.
#include <algorithm>
#include <type_traits>

#include <cuda_runtime.h>

#include "gpu/device/kernels.hpp"

namespace cugrade::device {
namespace {

constexpr unsigned threads = 256;
constexpr unsigned most_blocks = 8192;  // of one set: more work per thread instead

unsigned blocks_for(std::uint64_t work) {
    return static_cast<unsigned>(
        std::clamp<std::uint64_t>((work + threads - 1) / threads, 1, most_blocks));
}

__device__ std::uint64_t thread_index() {
    return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ std::uint64_t thread_count() { return std::uint64_t{gridDim.x} * blockDim.x; }

__device__ void add(std::uint64_t* to, std::uint64_t value) {
    atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}

__device__ std::uint64_t warp_sum(std::uint64_t value) {
    for (int lane = 16; lane > 0; lane /= 2) value += __shfl_down_sync(~0u, value, lane);
    return value;
}

__global__ void poison_kernel(std::uint64_t* at, std::uint64_t words, std::uint64_t seed) {
    for (std::uint64_t i = thread_index(); i < words; i += thread_count())
        at[i] = poison_word(seed, i);
}

/// Calls visit(offset of a byte of a guard band) for those of one block.
template <class Visit>
__device__ void for_each_guard_byte(const Blocks& blocks, Visit visit) {
    const std::uint64_t begin = blockIdx.y * blocks.stride;
    const std::uint64_t after = blocks.stride - Blocks::guard - blocks.bytes;
    for (std::uint64_t i = thread_index(); i < Blocks::guard + after; i += thread_count())
        visit(begin + (i < Blocks::guard ? i : i + blocks.bytes));
}

__global__ void fill_guards_kernel(unsigned char* at, Blocks blocks, std::uint64_t seed) {
    for_each_guard_byte(blocks, [&](std::uint64_t i) { at[i] = poison_byte(seed, i); });
}

__global__ void check_guards_kernel(const unsigned char* at, Blocks blocks, std::uint64_t seed,
                                    std::uint64_t* first) {
    for_each_guard_byte(blocks, [&](std::uint64_t i) {
        if (at[i] != poison_byte(seed, i))
            atomicMin(reinterpret_cast<unsigned long long*>(first),
                      static_cast<unsigned long long>(i));
    });
}

/// Unit: what one thread copies at a time; `units` of them are a granule.
template <class Unit>
__global__ void move_kernel(unsigned char* at, Blocks blocks, const Unit* base,
                            const TableMap* maps, std::uint64_t units) {
    const TableMap& map = maps[blockIdx.y];
    const Window window = map.granules.in_units(units);
    Unit* const to = reinterpret_cast<Unit*>(at + blocks.offset(blockIdx.y));
    const std::uint64_t all = blocks.bytes / sizeof(Unit);
    for (std::uint64_t i = thread_index(); i < all; i += thread_count())
        to[i] = base[i < window.count ? window.source(i) : i];
}

/// The bytes after the last whole unit: they belong to no granule.
__global__ void move_tail_kernel(unsigned char* at, Blocks blocks, const unsigned char* base,
                                 std::uint64_t from) {
    unsigned char* const to = at + blocks.offset(blockIdx.y);
    for (std::uint64_t i = from + thread_index(); i < blocks.bytes; i += thread_count())
        to[i] = base[i];
}

/// One block of threads for each row that is replaced.
__global__ void replace_kernel(unsigned char* at, Blocks blocks, const unsigned char* base,
                               const TableMap* maps, std::uint64_t row_bytes) {
    const TableMap& map = maps[blockIdx.y];
    if (blockIdx.x >= map.replaced || !map.counts(blockIdx.x)) return;
    const auto replacement = map.replacement(blockIdx.x);
    unsigned char* const to = at + blocks.offset(blockIdx.y) + replacement.to * row_bytes;
    const unsigned char* const from = base + replacement.from * row_bytes;
    for (std::uint64_t i = threadIdx.x; i < row_bytes; i += blockDim.x) to[i] = from[i];
}

/// Of 16-byte units.
__global__ void first_difference_kernel(const ulonglong2* a, const ulonglong2* b,
                                        std::uint64_t units, std::uint64_t* first) {
    for (std::uint64_t i = thread_index(); i < units; i += thread_count()) {
        const ulonglong2 one = a[i], other = b[i];
        const unsigned long long low = one.x ^ other.x, high = one.y ^ other.y;
        if ((low | high) == 0) continue;
        const int bit = __ffsll(static_cast<long long>(low != 0 ? low : high)) - 1;
        atomicMin(reinterpret_cast<unsigned long long*>(first),
                  static_cast<unsigned long long>(16 * i + (low != 0 ? 0 : 8) + bit / 8));
    }
}

template <class T>
__device__ bool right(T got, T want, double bound) {
    if (got == want) return true;
    if constexpr (std::is_floating_point_v<T>) {
        if (got != got && want != want) return true;
        const double error = static_cast<double>(got) - static_cast<double>(want);
        return (error < 0 ? -error : error) <= bound;
    } else {
        return false;
    }
}

template <class T>
__global__ void compare_kernel(const unsigned char* got, Blocks got_blocks,
                               const unsigned char* want, Blocks want_blocks, std::uint32_t first,
                               double bound, std::uint64_t poison_seed, Difference* found) {
    const std::uint64_t offset = got_blocks.offset(blockIdx.y);
    const auto* const g = reinterpret_cast<const T*>(got + offset);
    const auto* const w = reinterpret_cast<const T*>(
        want + want_blocks.offset((first + blockIdx.y) % want_blocks.count));
    std::uint64_t wrong = 0, unwritten = 0;
    for (std::uint64_t i = thread_index(); i < got_blocks.bytes / sizeof(T); i += thread_count()) {
        const T value = g[i];
        if (right(value, w[i], bound)) continue;
        ++wrong;
        const auto* const bytes = reinterpret_cast<const unsigned char*>(g + i);
        bool poison = true;
        for (std::uint64_t b = 0; b < sizeof(T); ++b)
            poison = poison && bytes[b] == poison_byte(poison_seed, offset + i * sizeof(T) + b);
        unwritten += poison ? 1 : 0;
    }
    wrong = warp_sum(wrong);
    unwritten = warp_sum(unwritten);
    if (threadIdx.x % 32 != 0 || wrong == 0) return;
    add(&found->wrong, wrong);
    if (unwritten > 0) add(&found->unwritten, unwritten);
}

/// Several independent loads in flight for each thread.
__global__ void read_kernel(const uint4* at, std::uint64_t units, std::uint32_t* sink) {
    constexpr int unrolled = 8;
    std::uint32_t all = 0;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x * unrolled + threadIdx.x;
         i < units; i += thread_count() * unrolled) {
        uint4 value[unrolled];
#pragma unroll
        for (int k = 0; k < unrolled; ++k)
            value[k] = __ldcs(at + i + std::uint64_t{blockDim.x} * k);
#pragma unroll
        for (int k = 0; k < unrolled; ++k) all |= value[k].x ^ value[k].y ^ value[k].z ^ value[k].w;
    }
    if (all == 0x12345678u) *sink = all;
}

template <class Unit>
void move(unsigned char* at, const Blocks& blocks, const void* base, const TableMap* maps,
          std::uint64_t granule_bytes) {
    const dim3 grid(blocks_for(blocks.bytes / sizeof(Unit) / 4 + 1), blocks.count);
    move_kernel<Unit><<<grid, threads>>>(at, blocks, static_cast<const Unit*>(base), maps,
                                         granule_bytes / sizeof(Unit));
    if (const std::uint64_t whole = blocks.bytes / sizeof(Unit) * sizeof(Unit);
        whole < blocks.bytes)
        move_tail_kernel<<<dim3(1, blocks.count), 32>>>(
            at, blocks, static_cast<const unsigned char*>(base), whole);
}

template <class T>
void compare_as(const void* got, const Blocks& got_blocks, const void* want,
                const Blocks& want_blocks, std::uint32_t first, std::uint32_t sets, double bound,
                std::uint64_t poison_seed, Difference* found) {
    const dim3 grid(blocks_for(got_blocks.bytes / sizeof(T) / 8 + 1), sets);
    compare_kernel<T><<<grid, threads>>>(static_cast<const unsigned char*>(got), got_blocks,
                                         static_cast<const unsigned char*>(want), want_blocks,
                                         first, bound, poison_seed, found);
}

}  // namespace

cudaError_t poison(void* at, std::uint64_t bytes, std::uint64_t seed) {
    if (bytes == 0) return cudaSuccess;
    poison_kernel<<<blocks_for(bytes / 32), threads>>>(static_cast<std::uint64_t*>(at), bytes / 8,
                                                       seed);
    return cudaGetLastError();
}

cudaError_t fill_guards(void* at, Blocks blocks, std::uint64_t seed) {
    fill_guards_kernel<<<dim3(2, blocks.count), threads>>>(static_cast<unsigned char*>(at), blocks,
                                                           seed);
    return cudaGetLastError();
}

cudaError_t check_guards(const void* at, Blocks blocks, std::uint64_t seed, std::uint64_t* first) {
    check_guards_kernel<<<dim3(2, blocks.count), threads>>>(static_cast<const unsigned char*>(at),
                                                            blocks, seed, first);
    return cudaGetLastError();
}

cudaError_t make_column(void* at, Blocks blocks, const void* base, const TableMap* maps,
                        std::uint64_t rows, std::uint64_t row_bytes) {
    if (blocks.bytes == 0) return cudaSuccess;
    auto* const to = static_cast<unsigned char*>(at);
    const TableMap shape = table_map(0, rows);
    const std::uint64_t granule_bytes = shape.granule * row_bytes;
    if (granule_bytes % sizeof(uint4) == 0)
        move<uint4>(to, blocks, base, maps, granule_bytes);
    else if (granule_bytes % 4 == 0)
        move<std::uint32_t>(to, blocks, base, maps, granule_bytes);
    else
        move<unsigned char>(to, blocks, base, maps, granule_bytes);
    if (shape.replaced > 0)
        replace_kernel<<<dim3(shape.replaced, blocks.count), 32>>>(
            to, blocks, static_cast<const unsigned char*>(base), maps, row_bytes);
    return cudaGetLastError();
}

cudaError_t first_difference(const void* a, const void* b, std::uint64_t bytes,
                             std::uint64_t* first) {
    first_difference_kernel<<<blocks_for(bytes / 64 + 1), threads>>>(
        static_cast<const ulonglong2*>(a), static_cast<const ulonglong2*>(b), bytes / 16, first);
    return cudaGetLastError();
}

cudaError_t compare(DType type, const void* got, Blocks got_blocks, const void* want,
                    Blocks want_blocks, std::uint32_t first, std::uint32_t sets, double bound,
                    std::uint64_t poison_seed, Difference* found) {
    with_type(type, [&]<class T>() {
        compare_as<T>(got, got_blocks, want, want_blocks, first, sets, bound, poison_seed, found);
    });
    return cudaGetLastError();
}

cudaError_t read_all(const void* at, std::uint64_t bytes, std::uint32_t* sink) {
    int device = 0, processors = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    read_kernel<<<static_cast<unsigned>(processors) * 8, threads>>>(static_cast<const uint4*>(at),
                                                                    bytes / sizeof(uint4), sink);
    return cudaGetLastError();
}

}  // namespace cugrade::device
