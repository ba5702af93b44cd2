// cause: use_after_free line 78
// task: bytes
// The owner of the partial histograms is a temporary: its destructor gives the memory back at the end of that very statement, before the two kernels use it.
#include "interface.cuh"

// No atomics on global memory: every block writes a histogram of its own into a row of `partial`, and
// a second kernel adds up the columns.

using Count = unsigned int;

enum : unsigned { BINS = 256, THREADS = 256, WARPS = THREADS / 32, GRID = 40 };

/// Device memory that is given back when its owner goes.
template <class T> class DeviceArray {
public:
    explicit DeviceArray(std::size_t size) { cudaMalloc(&data_, size * sizeof(T)); }
    ~DeviceArray() { cudaFree(data_); }
    DeviceArray(const DeviceArray&) = delete;
    DeviceArray& operator=(const DeviceArray&) = delete;
    T* get() const { return data_; }

private:
    T* data_ = nullptr;
};

__device__ void clear(Count (&table)[WARPS][BINS]) {
    for (unsigned w = 0; w < WARPS; ++w)
        for (unsigned b = threadIdx.x; b < BINS; b += THREADS) table[w][b] = 0;
}

// One copy for each warp; the block's row is the sum of its warps' copies.
__global__ void count_rows(const unsigned char* in, std::size_t n, Count* partial) {
    __shared__ Count table[WARPS][BINS];
    clear(table);
    __syncthreads();

    Count* mine = table[threadIdx.x / 32];
    const std::size_t step = std::size_t(GRID) * THREADS;
    const std::size_t me = std::size_t(blockIdx.x) * THREADS + threadIdx.x;
    const std::size_t quads = n / 4;
    const uchar4* in4 = reinterpret_cast<const uchar4*>(in);
    for (std::size_t q = me; q < quads; q += step) {
        const uchar4 c = in4[q];
        atomicAdd(mine + c.x, 1u);
        atomicAdd(mine + c.y, 1u);
        atomicAdd(mine + c.z, 1u);
        atomicAdd(mine + c.w, 1u);
    }
    for (std::size_t i = 4 * quads + me; i < n; i += step) atomicAdd(mine + in[i], 1u);
    __syncthreads();

    for (unsigned b = threadIdx.x; b < BINS; b += THREADS) {
        Count sum = 0;
        for (unsigned w = 0; w < WARPS; ++w) sum += table[w][b];
        partial[blockIdx.x * BINS + b] = sum;
    }
}

// Eight blocks, each for 32 bins; a warp adds up every eighth row.
__global__ void add_columns(const Count* partial, Count* bins) {
    __shared__ Count part[WARPS][32];
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    const unsigned bin = blockIdx.x * 32 + lane;

    Count sum = 0;
    for (unsigned row = warp; row < GRID; row += WARPS) sum += partial[row * BINS + bin];
    part[warp][lane] = sum;
    __syncthreads();

    if (warp == 0) {
        for (unsigned w = 1; w < WARPS; ++w) sum += part[w][lane];
        bins[bin] = sum;
    }
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    Count* partial = DeviceArray<Count>(std::size_t(GRID) * BINS).get();
    count_rows<<<GRID, THREADS>>>(in, n, partial);
    add_columns<<<BINS / 32, THREADS>>>(partial, bins);
}
