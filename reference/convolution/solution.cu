// Model answer: tiles in shared memory, the mask in constant memory, and many outputs per thread.
//
// A tile alone moves the bottleneck from global to shared memory: one shared load per
// multiply-add is four times too slow for the arithmetic units. So each thread computes four
// neighbouring outputs and slides a window of inputs through its registers: a 16-byte load brings
// four inputs, each of which serves all four. Neighbouring threads load neighbouring 16 bytes, so
// that no banks conflict. In two dimensions an input row also serves all output rows that a thread
// computes. With bytes, one dp4a instruction multiplies and adds four taps. For some masks
// there are kernels with the width known at compile time, in which all loops over taps are
// unrolled; more of them would take nvcc longer than they save.
#include "interface.cuh"

namespace {

constexpr int kMaxTaps = 1024;  // in constant memory; a longer mask is cut in pieces
constexpr int kGroups = 4;      // of four neighbouring outputs, per thread
constexpr int kThreads1d = 256, kTile1d = kThreads1d * kGroups * 4;
constexpr int kMaxWidth2d = 31;
constexpr int kWarps2d = 4, kThreads2d = 32 * kWarps2d;
constexpr int kColumns = 128;  // of the output tile of a block: 32 lanes times 4 neighbours

__constant__ __align__(16) float constant_mask[kMaxTaps];
__constant__ unsigned char constant_bytes[kMaxWidth2d * kMaxWidth2d];

// The index that stands for k in a signal of n elements; -1 for a zero.
__device__ long long source(long long k, long long n, int ghost) {
    if (k >= 0 && k < n) return k;
    if (ghost == 0) return -1;
    if (ghost == 1) return k < 0 ? 0 : n - 1;
    k %= 2 * n;
    if (k < 0) k += 2 * n;
    return k < n ? k : 2 * n - 1 - k;
}

template <class T>
__device__ T fetch(const T* in, long long k, long long n, int ghost) {
    k = source(k, n, ghost);
    return k < 0 ? T(0) : in[k];
}

__host__ __device__ constexpr int round_up(int n, int multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

__device__ void load4(float* to, const float* from) {
    const float4 v = *reinterpret_cast<const float4*>(from);
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

// Stores the first of four values that lie inside; in one piece where all do.
template <class T, class Four>
__device__ void store4(T* to, Four values, long long inside) {
    if (inside >= 4 && reinterpret_cast<std::size_t>(to) % sizeof(Four) == 0) {
        *reinterpret_cast<Four*>(to) = values;
    } else {
        const T one[4] = {values.x, values.y, values.z, values.w};
#pragma unroll
        for (int k = 0; k < 4; ++k)
            if (k < inside) to[k] = one[k];
    }
}

// sum[k] += mask(j) * row[kFill + j + k] for all taps j of the mask and k = 0 ... 3, where `row` is
// aligned to 16 bytes. kTaps: their number where it is known at compile time, otherwise 0.
template <int kFill, int kTaps, class Mask>
__device__ __forceinline__ void slide(const float* row, int taps, Mask mask, float (&sum)[4]) {
    float window[8];
    load4(window, row);
    const auto step = [&](int first, int end) {
        load4(window + 4, row + first + 4);
#pragma unroll
        for (int t = 0; t < 4; ++t) {
            const int j = first + t - kFill;
            if (j < 0 || j >= end) continue;
            const float weight = mask(j);
#pragma unroll
            for (int k = 0; k < 4; ++k) sum[k] += weight * window[t + k];
        }
#pragma unroll
        for (int k = 0; k < 4; ++k) window[k] = window[k + 4];
    };
    if constexpr (kTaps > 0) {
#pragma unroll
        for (int first = 0; first < kFill + kTaps; first += 4) step(first, kTaps);
    } else {
        static_assert(kFill == 0);
        int first = 0;
#pragma unroll 2
        for (; first + 4 <= taps; first += 4) step(first, first + 4);
        if (first < taps) step(first, taps);
    }
}

// kWidth: the mask's width, or 0 where only known at run time. Then the tile begins where the first
// output's window does; otherwise up to three elements before, so that vectors are aligned.
__host__ __device__ constexpr int fill_of(int width) {
    return round_up(width / 2, 4) - width / 2;
}

template <int kWidth, bool kInConstant>
__global__ void __launch_bounds__(kThreads1d)
    tiled_1d(const float* __restrict__ in, long long n, const float* __restrict__ mask,
             int mask_width, int ghost, float* __restrict__ out) {
    constexpr int fill = fill_of(kWidth), max_taps = kWidth > 0 ? fill + kWidth : kMaxTaps;
    __shared__ __align__(16) float tile[kTile1d + round_up(max_taps, 4)];
    __shared__ float piece[kInConstant ? 1 : kMaxTaps];
    const int width = kWidth > 0 ? kWidth : mask_width;
    const long long first = static_cast<long long>(blockIdx.x) * kTile1d;
    float sum[kGroups][4] = {};
    for (int begin = 0; begin < width; begin += kMaxTaps) {
        const int taps = min(kMaxTaps, width - begin);
        const int loaded = kTile1d + round_up(fill + taps, 4);
        const long long origin = first - width / 2 - fill + begin;
        const float* from = in + origin;
        if (begin > 0) __syncthreads();  // all have read the piece before
        if (origin < 0 || origin + loaded > n) {
            for (int i = threadIdx.x; i < loaded; i += kThreads1d)
                tile[i] = fetch(in, origin + i, n, ghost);
        } else if (kWidth > 0) {
#pragma unroll
            for (int i = threadIdx.x; i < loaded / 4; i += kThreads1d)
                reinterpret_cast<float4*>(tile)[i] = reinterpret_cast<const float4*>(from)[i];
        } else {
#pragma unroll 8
            for (int i = threadIdx.x; i < loaded; i += kThreads1d) tile[i] = from[i];
        }
        if (!kInConstant)
            for (int i = threadIdx.x; i < taps; i += kThreads1d) piece[i] = mask[begin + i];
        __syncthreads();
#pragma unroll
        for (int g = 0; g < kGroups; ++g)
            slide<fill, kWidth>(
                tile + 4 * (g * kThreads1d + threadIdx.x), taps,
                [&](int j) { return kInConstant ? constant_mask[j] : piece[j]; }, sum[g]);
    }
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
        const long long i = first + 4 * (g * kThreads1d + static_cast<int>(threadIdx.x));
        store4(out + i, make_float4(sum[g][0], sum[g][1], sum[g][2], sum[g][3]), n - i);
    }
}

struct Image {
    int width, height, ghost;
};

// Loads `rows` rows of `pitch` elements from (x0, y0) on, ghost cells included: 16 bytes at once
// where all of the tile is inside and aligned.
template <class T>
__device__ __forceinline__ void load_tile(T* tile, int pitch, int rows, const T* in, Image image,
                                          int x0, int y0) {
    constexpr int per_vector = 16 / sizeof(T);
    const T* from = in + static_cast<long long>(y0) * image.width + x0;
    if (x0 >= 0 && y0 >= 0 && x0 + pitch <= image.width && y0 + rows <= image.height &&
        image.width % per_vector == 0 && reinterpret_cast<std::size_t>(from) % 16 == 0) {
        const int per_row = pitch / per_vector, rows_at_once = kThreads2d / per_row;
        const int row = threadIdx.x / per_row, column = threadIdx.x % per_row * per_vector;
        if (row < rows_at_once)
#pragma unroll 10
            for (int r = row; r < rows; r += rows_at_once)
                *reinterpret_cast<uint4*>(tile + r * pitch + column) =
                    *reinterpret_cast<const uint4*>(from + static_cast<long long>(r) * image.width +
                                                    column);
        return;
    }
    for (int i = threadIdx.x; i < rows * pitch; i += kThreads2d) {
        const long long y = source(y0 + i / pitch, image.height, image.ghost);
        tile[i] =
            y < 0 ? T(0) : fetch(in + y * image.width, x0 + i % pitch, image.width, image.ghost);
    }
}

constexpr int kFloatRows = 8;  // neighbouring rows of a thread

template <int kWidth>
__global__ void __launch_bounds__(kThreads2d)
    tiled_2d_float(const float* __restrict__ in, Image image, int mask_width,
                   float* __restrict__ out) {
    extern __shared__ __align__(16) float float_tile[];
    constexpr int fill = fill_of(kWidth);
    const int m = kWidth > 0 ? kWidth : mask_width;
    const int pitch = kColumns + round_up(fill + m, 4);
    const int x0 = blockIdx.x * kColumns, y0 = blockIdx.y * kWarps2d * kFloatRows;
    load_tile(float_tile, pitch, kWarps2d * kFloatRows + m - 1, in, image, x0 - m / 2 - fill,
              y0 - m / 2);
    __syncthreads();

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum[kFloatRows][4] = {};
#pragma unroll
    for (int r = 0; r < kFloatRows + m - 1; ++r) {  // each input row serves up to m output rows
        const float* row = float_tile + (warp * kFloatRows + r) * pitch + 4 * lane;
#pragma unroll
        for (int q = 0; q < kFloatRows; ++q)
            if (r - q >= 0 && r - q < m)
                slide<fill, kWidth>(
                    row, m, [&](int j) { return constant_mask[(r - q) * m + j]; }, sum[q]);
    }
#pragma unroll
    for (int q = 0; q < kFloatRows; ++q) {
        const int x = x0 + 4 * lane, y = y0 + warp * kFloatRows + q;
        if (y < image.height)
            store4(out + static_cast<long long>(y) * image.width + x,
                   make_float4(sum[q][0], sum[q][1], sum[q][2], sum[q][3]), image.width - x);
    }
}

constexpr int kByteLead = 16;  // one vector before the outputs, where the radius is 15 at most
constexpr int kBytePitch = kColumns + 2 * kByteLead;
constexpr int kAcross = 8;       // neighbouring columns of a thread
constexpr int kByteBlocks = 8;   // resident on a multiprocessor: leaves 64 registers a thread
constexpr int kAhead = 2;        // rows in flight
constexpr int kByteRows = 32;    // neighbouring rows of a thread
constexpr int kAnyByteRows = 8;  // the same where the mask's width is only known at run time

__device__ void store_bytes(const unsigned int (&sum)[4], unsigned char* out, Image image, int x,
                            int y) {
    if (y < image.height)
        store4(out + static_cast<long long>(y) * image.width + x,
               make_uchar4(sum[0], sum[1], sum[2], sum[3]), image.width - x);
}

// The low bytes of four sums.
__device__ unsigned int low_bytes(const unsigned int* sum) {
    return __byte_perm(__byte_perm(sum[0], sum[1], 0x0040), __byte_perm(sum[2], sum[3], 0x0040),
                       0x5410);
}

// The taps at (row, column) and the three that follow at a distance of `step`, as dp4a takes them;
// a tap above the mask is zero.
template <int m>
__device__ unsigned int four_taps(const unsigned char* mask, int row, int column, int step) {
    unsigned int word = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int i = row * m + column + k * step;
        if (i >= 0) word |= static_cast<unsigned int>(__ldg(mask + i)) << 8 * k;
    }
    return word;
}

// Four bytes of a row from x on, as a word; there are ghost cells among them.
__device__ unsigned int ghost4(const unsigned char* row, int x, Image image) {
    unsigned int word = 0;
    for (int k = 0; k < 4; ++k)
        word |= static_cast<unsigned int>(fetch(row, x + k, image.width, image.ghost)) << 8 * k;
    return word;
}

// The taps of a mask of m rows as dp4a takes them: of columns, and of the last row along the row
// where m is 5 (or 9), which leaves one.
template <int m>
struct ByteTaps {
    static constexpr bool has_last_row = m % 4 == 1;
    static constexpr int words = (m + 1) / 4;  // of a column; otherwise 4 * words is m + 1
    unsigned int down[words][m], along[m / 4 + 1], last[4];

    __device__ explicit ByteTaps(const unsigned char* mask) {
#pragma unroll
        for (int w = 0; w < words; ++w)
#pragma unroll
            for (int c = 0; c < m; ++c)
                down[w][c] = four_taps<m>(mask, 4 * w - (has_last_row ? 0 : 1), c, m);
        if constexpr (has_last_row) {
#pragma unroll
            for (int j = 0; j < m / 4; ++j) along[j] = four_taps<m>(mask, m - 1, 4 * j, 1);
#pragma unroll
            for (int k = 0; k < 4; ++k)
                last[k] = static_cast<unsigned int>(mask[m * m - 1]) << 8 * k;
        }
    }
};

// A warp goes down a strip of 256 columns from (x0, y0) on, each lane eight of them, with the next
// rows in flight; what a lane needs of its neighbours' columns it gets by shuffles. Of each column
// of inputs it keeps the last rows, four bytes to a word: a new row shifts in by one instruction
// per word, and then one dp4a adds four taps of a column. That leaves a row of a mask of 5: it is
// added along the row, so that 25 taps are 5 + 2 dp4a. For a mask of 7 it leaves a byte, which gets
// a tap of zero. kInside: nothing that the strip needs lies beyond the image.
template <int m, bool kInside>
__device__ __forceinline__ void walk(const unsigned char* __restrict__ in, Image image,
                                     const unsigned char* __restrict__ mask,
                                     unsigned char* __restrict__ out, int x0, int y0) {
    constexpr int radius = m / 2, columns = kAcross + m - 1;
    constexpr int in_flight = kInside ? kAhead : 1;
    using Taps = ByteTaps<m>;
    const int lane = threadIdx.x % 32, x = x0 + lane * kAcross;
    // The first and the last lane have no neighbour: they load four bytes more.
    const bool outer = lane == 0 || lane == 31;
    const int beyond = lane == 0 ? -4 : kAcross;

    struct Row {
        uint2 own;
        unsigned int beyond;
    };
    int next_y = y0 - radius;
    const unsigned char* from = in + static_cast<long long>(next_y) * image.width + x;
    const auto load = [&] {
        Row row{{0, 0}, 0};
        if (!kInside) {
            const long long y = source(next_y++, image.height, image.ghost);
            if (y < 0) return row;
            const unsigned char* first = in + y * image.width;
            from = first + x;
            if (x == image.width) row.own.x = ghost4(first, x, image);
            if (outer && (x + beyond < 0 || x + beyond == image.width))
                row.beyond = ghost4(first, x + beyond, image);
        }
        if (kInside || x < image.width) row.own = *reinterpret_cast<const uint2*>(from);
        if (outer && (kInside || (x + beyond >= 0 && x + beyond < image.width)))
            row.beyond = *reinterpret_cast<const unsigned int*>(from + beyond);
        if (kInside) from += image.width;
        return row;
    };
    Row above[m - 1], ahead[in_flight];
#pragma unroll
    for (auto& row : above) row = load();
#pragma unroll
    for (auto& row : ahead) row = load();
    const Taps taps(mask);

    unsigned int column[Taps::words][columns] = {};
    unsigned int word[kAcross / 4 + 3];  // bytes -4 ... kAcross + 3 of a row, and zeros
    const auto spread = [&](const Row& row) {
        const unsigned int left = __shfl_up_sync(0xffffffff, row.own.y, 1);
        const unsigned int right = __shfl_down_sync(0xffffffff, row.own.x, 1);
        word[0] = lane == 0 ? row.beyond : left;
        word[1] = row.own.x, word[2] = row.own.y;
        word[3] = lane == 31 ? row.beyond : right;
        word[4] = 0;
    };
    const auto shift_in = [&] {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            const int byte = 4 - radius + c;
#pragma unroll
            for (int w = 0; w + 1 < Taps::words; ++w)
                column[w][c] = __byte_perm(column[w][c], column[w + 1][c], 0x4321);
            unsigned int& newest = column[Taps::words - 1][c];
            newest = __byte_perm(newest, word[byte / 4], 0x0321 | (4 + byte % 4) << 12);
        }
    };
#pragma unroll
    for (const auto& row : above) spread(row), shift_in();

    unsigned char* to = out + static_cast<long long>(y0) * image.width + x;
    for (int q = 0; q < kByteRows; q += in_flight) {
#pragma unroll
        for (int k = 0; k < in_flight; ++k, to += image.width) {
            spread(ahead[k]);
            if (q + in_flight < kByteRows) ahead[k] = load();
            if (!Taps::has_last_row) shift_in();
            unsigned int sum[kAcross] = {};
#pragma unroll
            for (int o = 0; o < kAcross; ++o) {
#pragma unroll
                for (int w = 0; w < Taps::words; ++w)
#pragma unroll
                    for (int c = 0; c < m; ++c)
                        sum[o] = __dp4a(column[w][o + c], taps.down[w][c], sum[o]);
                if constexpr (Taps::has_last_row) {
#pragma unroll
                    for (int j = 0; j < m / 4; ++j) {
                        const int byte = 4 - radius + o + 4 * j;
                        sum[o] = __dp4a(
                            __funnelshift_r(word[byte / 4], word[byte / 4 + 1], byte % 4 * 8),
                            taps.along[j], sum[o]);
                    }
                    const int byte = 4 + radius + o;
                    sum[o] = __dp4a(word[byte / 4], taps.last[byte % 4], sum[o]);
                }
            }
            if (Taps::has_last_row) shift_in();
            if (kInside || (x < image.width && y0 + q + k < image.height))
                *reinterpret_cast<uint2*>(to) = make_uint2(low_bytes(sum), low_bytes(sum + 4));
        }
    }
}

// Apart, so that it costs the others no registers.
template <int m>
__device__ __noinline__ void walk_border(const unsigned char* in, Image image,
                                         const unsigned char* mask, unsigned char* out, int x0,
                                         int y0) {
    walk<m, false>(in, image, mask, out, x0, y0);
}

// For images whose width is a multiple of kAcross, so that their rows are aligned.
template <int m>
__global__ void __launch_bounds__(kThreads2d, kByteBlocks)
    columns_2d_bytes(const unsigned char* __restrict__ in, Image image,
                     const unsigned char* __restrict__ mask, unsigned char* __restrict__ out) {
    const int x0 = blockIdx.x * 32 * kAcross;
    const int y0 = (blockIdx.y * kWarps2d + threadIdx.x / 32) * kByteRows;
    if (x0 >= 4 && x0 + 32 * kAcross + 4 <= image.width && y0 >= m / 2 &&
        y0 + kByteRows + m / 2 <= image.height)
        walk<m, true>(in, image, mask, out, x0, y0);
    else if (y0 < image.height)
        walk_border<m>(in, image, mask, out, x0, y0);
}

// Masks of any width: taps along the row only. The words of a row are aligned, so the mask is
// filled up with zeros in front and behind.
__global__ void __launch_bounds__(kThreads2d)
    rows_2d_bytes(const unsigned char* __restrict__ in, Image image, int m,
                  unsigned char* __restrict__ out) {
    constexpr int max_rows = kWarps2d * kAnyByteRows + kMaxWidth2d - 1, max_words = 8;
    __shared__ __align__(16) unsigned char tile[max_rows * kBytePitch];
    __shared__ unsigned int taps[kMaxWidth2d][max_words];
    const int radius = m / 2, lead = round_up(radius, 4), fill = lead - radius;
    const int words = (fill + m + 3) / 4;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int x0 = blockIdx.x * kColumns, y0 = blockIdx.y * kWarps2d * kAnyByteRows;
    for (int i = threadIdx.x; i < m * words; i += kThreads2d) {
        unsigned int word = 0;
        for (int k = 0; k < 4; ++k) {
            const int j = i % words * 4 + k - fill;
            if (j >= 0 && j < m)
                word |= static_cast<unsigned int>(constant_bytes[i / words * m + j]) << 8 * k;
        }
        taps[i / words][i % words] = word;
    }
    load_tile(tile, kBytePitch, kWarps2d * kAnyByteRows + m - 1, in, image, x0 - kByteLead,
              y0 - radius);
    __syncthreads();

    unsigned int sum[kAnyByteRows][4] = {};
    for (int r = 0; r < kAnyByteRows + m - 1; ++r) {
        const unsigned int* row = reinterpret_cast<const unsigned int*>(
            tile + (warp * kAnyByteRows + r) * kBytePitch + kByteLead - lead + 4 * lane);
        unsigned int low = row[0];
        for (int w = 0; w < words; ++w) {
            const unsigned int high = row[w + 1];
            const unsigned int pixels[4] = {low, __funnelshift_r(low, high, 8),
                                            __funnelshift_r(low, high, 16),
                                            __funnelshift_r(low, high, 24)};
#pragma unroll
            for (int q = 0; q < kAnyByteRows; ++q)
                if (r - q >= 0 && r - q < m)
#pragma unroll
                    for (int k = 0; k < 4; ++k)
                        sum[q][k] = __dp4a(pixels[k], taps[r - q][w], sum[q][k]);
            low = high;
        }
    }
#pragma unroll
    for (int q = 0; q < kAnyByteRows; ++q)
        store_bytes(sum[q], out, image, x0 + 4 * lane, y0 + warp * kAnyByteRows + q);
}

// One block for a tile of 32 * `across` columns and kWarps2d * `down` rows.
dim3 tiles(Image image, int across, int down) {
    return dim3((image.width + 32 * across - 1) / (32 * across),
                (image.height + kWarps2d * down - 1) / (kWarps2d * down));
}

}  // namespace

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    const auto grid = static_cast<unsigned int>((n + kTile1d - 1) / kTile1d);
    const auto size = static_cast<long long>(n);
    if (mask_width <= kMaxTaps)
        cudaMemcpyToSymbolAsync(constant_mask, mask, mask_width * sizeof *mask, 0,
                                cudaMemcpyDeviceToDevice);
    const auto kernel = mask_width == 5          ? tiled_1d<5, true>
                        : mask_width == 9        ? tiled_1d<9, true>
                        : mask_width <= kMaxTaps ? tiled_1d<0, true>
                                                 : tiled_1d<0, false>;
    kernel<<<grid, kThreads1d>>>(in, size, mask, mask_width, ghost, out);
}

void convolve_2d_bytes(const unsigned char* in, int width, int height, const unsigned char* mask,
                       int mask_width, int ghost, unsigned char* out) {
    const Image image{width, height, ghost};
    const dim3 grid = tiles(image, kAcross, kByteRows);
    if (mask_width == 5 && width % kAcross == 0) {
        columns_2d_bytes<5><<<grid, kThreads2d>>>(in, image, mask, out);
    } else if (mask_width == 7 && width % kAcross == 0) {
        columns_2d_bytes<7><<<grid, kThreads2d>>>(in, image, mask, out);
    } else {
        cudaMemcpyToSymbolAsync(constant_bytes, mask, mask_width * mask_width, 0,
                                cudaMemcpyDeviceToDevice);
        rows_2d_bytes<<<tiles(image, 4, kAnyByteRows), kThreads2d>>>(in, image, mask_width, out);
    }
}

void convolve_2d_float(const float* in, int width, int height, const float* mask, int mask_width,
                       int ghost, float* out) {
    cudaMemcpyToSymbolAsync(constant_mask, mask, mask_width * mask_width * sizeof *mask, 0,
                            cudaMemcpyDeviceToDevice);
    const Image image{width, height, ghost};
    const auto kernel = mask_width == 5   ? tiled_2d_float<5>
                        : mask_width == 7 ? tiled_2d_float<7>
                                          : tiled_2d_float<0>;
    const std::size_t tile = sizeof(float) * (kWarps2d * kFloatRows + mask_width - 1) *
                             (kColumns + round_up(mask_width + 3, 4));
    kernel<<<tiles(image, 4, kFloatRows), kThreads2d, tile>>>(in, image, mask_width, out);
}
