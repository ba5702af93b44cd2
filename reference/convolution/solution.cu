// Model answer: tiles in shared memory, the mask in constant memory, and many outputs per thread.
//
// A tile alone moves the bottleneck from global to shared memory: one shared load per
// multiply-add is four times too slow for the arithmetic units. So each thread computes four
// neighbouring outputs and slides a window of inputs through its registers: a 16-byte load brings
// four inputs, each of which serves all four. Neighbouring threads load neighbouring 16 bytes, so
// that no banks conflict. In two dimensions an input row also serves all output rows that a thread
// computes. With bytes, one dp4a instruction multiplies and adds four taps; and where rows are
// aligned, the tensor cores do all of it (matrix_2d_bytes). For some masks
// there are kernels with the width known at compile time, in which all loops over taps are
// unrolled; more of them would take nvcc longer than they save.
#include <cuda_pipeline.h>

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
__host__ __device__ constexpr int fill_of(int width) { return round_up(width / 2, 4) - width / 2; }

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
constexpr int kAnyByteRows = 8;  // neighbouring rows of a thread

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

// Four bytes of a row from x on, as a word; there are ghost cells among them.
__device__ unsigned int ghost4(const unsigned char* row, int x, Image image) {
    unsigned int word = 0;
#pragma unroll 1
    for (int k = 0; k < 4; ++k)
        word |= static_cast<unsigned int>(fetch(row, x + k, image.width, image.ghost)) << 8 * k;
    return word;
}

constexpr int kTileColumns = 512, kTileRows = 64, kTileThreads = 128, kTileBlocks = 4;
constexpr int kTilePitch = kTileColumns + 48;  // the words of 8 rows that a warp reads: 32 banks

// d = a * b + c on the tensor cores, where a has 16 rows of 32 bytes and b 32 of 8. Of d, lane 4 g
// + q holds columns 2 q and 2 q + 1 of rows g and g + 8; of a, four bytes of each of these rows in
// the first half of the columns, then in the second; of b, the rows that meet them in column g.
__device__ __forceinline__ void multiply(unsigned int* d, const unsigned int* a, uint2 b,
                                         const unsigned int* c) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y), "r"(c[0]), "r"(c[1]),
          "r"(c[2]), "r"(c[3]));
#else
    const auto quarter = [](unsigned int* to, unsigned int x, unsigned int y,
                            const unsigned int* more) {
        asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%4, %5};"
            : "=r"(to[0]), "=r"(to[1])
            : "r"(x), "r"(y), "r"(more[0]), "r"(more[1]));
    };
    quarter(d, a[0], b.x, c), quarter(d, a[2], b.y, d);
    quarter(d + 2, a[1], b.x, c + 2), quarter(d + 2, a[3], b.y, d + 2);
#endif
}

// 16 bytes of row y from x on, a multiple of 16 like the image's width. Beyond the image a mask
// reaches no further than four bytes.
__device__ __forceinline__ void load_at_edge(unsigned char* to, const unsigned char* in,
                                             Image image, int x, int y) {
    const long long from = source(y, image.height, image.ghost);
    const unsigned char* row = in + from * image.width;
    if (from >= 0 && x >= 0 && x < image.width) {
        __pipeline_memcpy_async(to, row + x, 16);
        return;
    }
    uint4 bytes = make_uint4(0, 0, 0, 0);
    if (from >= 0 && x < 0) bytes.w = ghost4(row, x + 12, image);
    if (from >= 0 && x == image.width) bytes.x = ghost4(row, x, image);
    *reinterpret_cast<uint4*>(to) = bytes;
}

// Lane q of four has words from which lane a is to get the a-th ones: afterwards it has them.
__device__ __forceinline__ void transpose(unsigned int (&word)[4], int q) {
#pragma unroll
    for (int step = 1; step <= 2; ++step) {
        const bool upper = q & step;
#pragma unroll
        for (int k = 0; k < 2; ++k) {
            unsigned int& low = word[step == 1 ? 2 * k : k];
            unsigned int& high = word[step == 1 ? 2 * k + 1 : k + 2];
            const unsigned int got = __shfl_xor_sync(0xffffffff, upper ? low : high, step);
            (upper ? low : high) = got;
        }
    }
}

// A convolution as a product of matrices. 16 neighbouring bytes of a row, times a matrix of 16 rows
// and 8 columns in which each column has the taps of a mask's row one place further down, are that
// row's share of 8 neighbouring outputs; and the tensor cores multiply so many numbers that it does
// not matter that most of that matrix are zeros. Two rows of the mask make up its 32 rows.
// A warp computes 32 rows of 64 columns at once. Lane 4 g + q is in charge of rows 4 g ... 4 g + 3,
// so that a word that it has read serves as the next mask row of the row above. For images whose
// width is a multiple of 16. A mask whose width is less than m, which is at most 9, lies in the
// middle of zeros.
template <int m>
__global__ void __launch_bounds__(kTileThreads, kTileBlocks)
    matrix_2d_bytes(const unsigned char* __restrict__ in, Image image,
                    const unsigned char* __restrict__ mask, int width,
                    unsigned char* __restrict__ out) {
    constexpr int radius = m / 2, pairs = (m + 1) / 2, rows = kTileRows + m - 1;
    constexpr int vectors = kTileColumns / 16;
    // Rows 0, 4, 8 ..., then 1, 5, 9 ...: what eight lanes read at once follows on each other.
    constexpr int quarter = (rows + 3) / 4 * kTilePitch;
    __shared__ __align__(16) unsigned char tile[4 * quarter];
    __shared__ uint2 taps[pairs][32];
    const int x0 = blockIdx.x * kTileColumns, y0 = blockIdx.y * kTileRows;
    const auto place = [&](int row, int vector) {
        return tile + row % 4 * quarter + row / 4 * kTilePitch + 16 * vector;
    };
    const auto load = [&](auto vector_of) {
#pragma unroll 4
        for (int i = threadIdx.x; i < rows * vectors; i += kTileThreads)
            vector_of(i / vectors, i % vectors + 1);
        for (int i = threadIdx.x; i < rows * 2; i += kTileThreads)
            vector_of(i / 2, i % 2 * (vectors + 1));
    };
    if (x0 >= 16 && y0 >= radius && x0 + kTileColumns + 16 <= image.width &&
        y0 + kTileRows + radius <= image.height) {
        const unsigned char* from =
            in + static_cast<long long>(y0 - radius) * image.width + x0 - 16;
        load([&](int row, int vector) {
            __pipeline_memcpy_async(place(row, vector),
                                    from + static_cast<long long>(row) * image.width + 16 * vector,
                                    16);
        });
    } else {
        load([&](int row, int vector) {
            load_at_edge(place(row, vector), in, image, x0 - 16 + 16 * vector, y0 - radius + row);
        });
    }
    __pipeline_commit();
    const int margin = (m - width) / 2;
    for (int i = threadIdx.x; i < pairs * 64; i += kTileThreads) {
        const int row = i / 64 * 2 + i % 2, lane = i / 2 % 32;
        unsigned int word = 0;
        for (int k = 0; k < 4; ++k) {
            const int r = row - margin, c = 4 * (lane % 4) + k - 4 - lane / 4 + radius - margin;
            if (r >= 0 && r < width && c >= 0 && c < width)
                word |= static_cast<unsigned int>(mask[r * width + c]) << 8 * k;
        }
        reinterpret_cast<unsigned int*>(taps)[i] = word;
    }
    __pipeline_wait_prior(0);
    __syncthreads();

    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, q = lane % 4;
    const int first = warp / 2 * 32, left = warp % 2 * (kTileColumns / 2);
    uint2 held[pairs];
#pragma unroll
    for (int p = 0; p < pairs; ++p) held[p] = taps[p][lane];
    const unsigned char* from = place(first, 0) + g * kTilePitch + left + 12 + 4 * q;
    const int y = y0 + first + 4 * g;
    int x = x0 + left + 16 * q;
    unsigned char* to = out + static_cast<long long>(y) * image.width + x;
#pragma unroll 1
    for (int column = 0; column < kTileColumns / 2; column += 64, from += 64, to += 64, x += 64) {
        unsigned int bytes[4][4];  // of each row, two from each of two groups of eight outputs
#pragma unroll
        for (int a = 0; a < 4; ++a) {
            unsigned int sum[2][2][4];  // group, rows 4 g and 4 g + 1 or the two below
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                unsigned int word[m + 4];
#pragma unroll
                for (int i = 0; i < m + 3; ++i)
                    word[i] = *reinterpret_cast<const unsigned int*>(
                        from + i % 4 * quarter + i / 4 * kTilePitch + 16 * a + 8 * j);
                word[m + 3] = 0;  // meets taps of zero
#pragma unroll
                for (int p = 0; p < pairs; ++p)
#pragma unroll
                    for (int h = 0; h < 2; ++h) {
                        const unsigned int* w = word + 2 * (p + h);
                        const unsigned int zeros[4] = {}, inputs[4] = {w[0], w[1], w[1], w[2]};
                        multiply(sum[j][h], inputs, held[p], p == 0 ? zeros : sum[j][h]);
                    }
            }
#pragma unroll
            for (int row = 0; row < 4; ++row) {
                const int h = row / 2, k = row % 2 * 2;
                const unsigned int four[4] = {sum[0][h][k], sum[0][h][k + 1], sum[1][h][k],
                                              sum[1][h][k + 1]};
                bytes[row][a] = low_bytes(four);
            }
        }
#pragma unroll
        for (int row = 0; row < 4; ++row) {
            unsigned int(&b)[4] = bytes[row];
            transpose(b, q);
            const uint4 outputs =
                make_uint4(__byte_perm(b[0], b[1], 0x5410), __byte_perm(b[2], b[3], 0x5410),
                           __byte_perm(b[0], b[1], 0x7632), __byte_perm(b[2], b[3], 0x7632));
            if (x < image.width && y + row < image.height)
                *reinterpret_cast<uint4*>(to + static_cast<long long>(row) * image.width) = outputs;
        }
    }
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
    if (mask_width <= 7 && width % 16 == 0) {
        const dim3 grid((width + kTileColumns - 1) / kTileColumns,
                        (height + kTileRows - 1) / kTileRows);
        const auto kernel = mask_width <= 5 ? matrix_2d_bytes<5> : matrix_2d_bytes<7>;
        kernel<<<grid, kTileThreads>>>(in, image, mask, mask_width, out);
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
