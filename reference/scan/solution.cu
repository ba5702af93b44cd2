// Model answer: a single-pass scan with decoupled look-back (D. Merrill and M. Garland, "Single-pass
// parallel prefix scan with decoupled look-back", NVIDIA technical report NVR-2016-002). Each element
// is read once and written once, 8 bytes in all, where scan, scan the sums, add moves 16.
//
//   1. A block takes the next tile of 9216 elements by a ticket, so that all tiles before its own
//      belong to blocks that are running: waiting for them cannot hang.
//   2. It copies the tile into shared memory, past the registers. What is in flight then is limited
//      by shared memory, which holds more of a tile's elements than the registers could: while some
//      blocks wait for their predecessors, the others keep the memory busy. A large tile makes few
//      steps to look back over.
//   3. It adds up: elements of a vector, vectors of a warp by shuffles, warps through shared memory.
//   4. It publishes the tile's sum, then looks back over the tiles before it, 32 at a time: sums are
//      added up until a tile is found that knows its whole prefix. Then it publishes its own.
//   5. It scans its elements from there on and stores them.
#include <cstdint>
#include <cstring>

#include <cuda_pipeline.h>

#include "interface.cuh"

namespace {

constexpr unsigned threads = 192, warps = threads / 32;
constexpr unsigned width = 4;                    // elements of a 16-byte vector
constexpr unsigned vectors = 12;                 // per thread, all in flight at once
constexpr unsigned chunk = 32 * width;           // elements that a warp loads by one instruction
constexpr unsigned tile_size = threads * width * vectors;
constexpr unsigned all = 0xffffffff;

template <class T> struct alignas(16) Vector { T x[width]; };

// What is known of a tile, in one 64-bit word, so that a reader sees flag and value together and no
// fence is needed: flag in the upper half, the bits of the value in the lower one.
using Word = unsigned long long;
enum Flag : std::uint32_t { nothing = 0, tile_sum = 1, whole_prefix = 2 };

template <class T> __device__ Word pack(Flag flag, T value) {
    std::uint32_t bits;
    memcpy(&bits, &value, 4);
    return static_cast<Word>(flag) << 32 | bits;
}
template <class T> __device__ T value_of(Word word) {
    const auto bits = static_cast<std::uint32_t>(word);
    T value;
    memcpy(&value, &bits, 4);
    return value;
}
__device__ Flag flag_of(Word word) { return static_cast<Flag>(word >> 32); }

/// The sum over this and all lower lanes.
template <class T> __device__ T warp_scan(T value, unsigned lane) {
    #pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        const T below = __shfl_up_sync(all, value, d);
        if (lane >= d) value = below + value;
    }
    return value;
}

/// The sum of all tiles before `tile`, by one warp.
template <class T>
__device__ T look_back(const volatile Word* status, std::int64_t tile, unsigned lane) {
    T prefix = 0;
    for (std::int64_t nearest = tile - 1;; nearest -= 32) {
        const std::int64_t mine = nearest - lane;  // before the first tile there is nothing to add
        Word word;
        unsigned known, missing;
        do {  // until all are there up to the nearest whole prefix
            word = mine >= 0 ? status[mine] : pack(whole_prefix, T(0));
            known = __ballot_sync(all, flag_of(word) == whole_prefix);
            missing = __ballot_sync(all, flag_of(word) == nothing);
        } while ((missing & ((known & -known) - 1)) != 0);
        const unsigned last = known != 0 ? __ffs(static_cast<int>(known)) - 1 : 31;
        T sum = lane <= last ? value_of<T>(word) : T(0);
        #pragma unroll
        for (unsigned d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(all, sum, d);
        prefix = sum + prefix;
        if (known != 0) return prefix;
    }
}

template <class T, bool inclusive>
__global__ void __launch_bounds__(threads) scan_kernel(const T* __restrict__ in, std::size_t n,
                                                       Word* ticket, volatile Word* status,
                                                       T* __restrict__ out) {
    __shared__ Vector<T> mine[vectors][threads];  // each thread reads what it has copied itself
    __shared__ unsigned shared_tile;
    __shared__ T before_warp[warps], before_tile;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0) shared_tile = static_cast<unsigned>(atomicAdd(ticket, 1));
    __syncthreads();
    const unsigned tile = shared_tile;
    const std::size_t first = static_cast<std::size_t>(tile) * tile_size +
                              warp * (chunk * vectors) + lane * width;

    #pragma unroll
    for (unsigned k = 0; k < vectors; ++k) {
        const std::size_t i = first + k * chunk;
        Vector<T>* to = &mine[k][threadIdx.x];
        if (i + width <= n) {
            __pipeline_memcpy_async(to, in + i, sizeof *to);
        } else {
            for (unsigned j = 0; j < width; ++j) to->x[j] = i + j < n ? in[i + j] : T(0);
        }
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);

    // before[k] is the warp's sum ahead of the thread's vector k.
    T before[vectors], warp_sum = 0;
    #pragma unroll
    for (unsigned k = 0; k < vectors; ++k) {
        const Vector<T> v = mine[k][threadIdx.x];
        T sum = v.x[0];
        for (unsigned j = 1; j < width; ++j) sum += v.x[j];
        const T scanned = warp_scan(sum, lane);
        const T below = __shfl_up_sync(all, scanned, 1);
        before[k] = warp_sum + (lane == 0 ? T(0) : below);
        warp_sum += __shfl_sync(all, scanned, 31);
    }
    if (lane == 0) before_warp[warp] = warp_sum;
    __syncthreads();

    if (warp == 0) {
        const T scanned = warp_scan(lane < warps ? before_warp[lane] : T(0), lane);
        const T below = __shfl_up_sync(all, scanned, 1);
        const T sum = __shfl_sync(all, scanned, 31);
        if (lane < warps) before_warp[lane] = lane == 0 ? T(0) : below;
        if (lane == 0 && tile > 0) status[tile] = pack(tile_sum, sum);
        const T prefix = look_back<T>(status, tile, lane);
        if (lane == 0) {
            status[tile] = pack(whole_prefix, prefix + sum);
            before_tile = prefix;
        }
    }
    __syncthreads();

    const T base = before_tile + before_warp[warp];
    #pragma unroll
    for (unsigned k = 0; k < vectors; ++k) {
        const Vector<T> v = mine[k][threadIdx.x];
        T running = base + before[k];
        Vector<T> result;
        for (unsigned j = 0; j < width; ++j) {
            if (!inclusive) result.x[j] = running;
            running += v.x[j];
            if (inclusive) result.x[j] = running;
        }
        const std::size_t i = first + k * chunk;
        if (i + width <= n) {  // streamed: nobody reads it again, so it need not stay in L2
            __stcs(reinterpret_cast<uint4*>(out + i), reinterpret_cast<const uint4&>(result));
        } else {
            for (unsigned j = 0; j < width && i + j < n; ++j) out[i + j] = result.x[j];
        }
    }
}

/// Device memory for the ticket and the tiles' words, zeroed. It is kept from call to call, because
/// an allocation takes longer than a scan of a million elements.
Word* zeroed_words(std::size_t count) {
    static Word* words = nullptr;
    static std::size_t capacity = 0;
    if (count > capacity) {
        cudaFree(words);
        cudaMalloc(&words, count * sizeof(Word));
        capacity = count;
    }
    cudaMemsetAsync(words, 0, count * sizeof(Word));
    return words;
}

template <bool inclusive, class T> void scan(const T* in, std::size_t n, T* out) {
    if (n == 0) return;
    const std::size_t tiles = (n + tile_size - 1) / tile_size;
    Word* words = zeroed_words(1 + tiles);
    scan_kernel<T, inclusive><<<static_cast<unsigned>(tiles), threads>>>(in, n, words, words + 1, out);
}

}  // namespace

void scan_inclusive_int(const int* in, std::size_t n, int* out) { scan<true>(in, n, out); }
void scan_exclusive_int(const int* in, std::size_t n, int* out) { scan<false>(in, n, out); }
void scan_inclusive_float(const float* in, std::size_t n, float* out) { scan<true>(in, n, out); }
void scan_exclusive_float(const float* in, std::size_t n, float* out) { scan<false>(in, n, out); }
