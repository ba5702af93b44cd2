// cause: uninitialised_shared line 34
// task: exclusive_int
// offset[0] in shared memory, what comes before the first warp, is read but never written: garbage in all outputs
#include "interface.cuh"

// Reduce, scan the sums, scan again: every block owns one section of the array and goes through
// it tile by tile.
static const int BLOCKS = 48;
static const int THREADS = 128;
static const int WARPS = THREADS / 32;

struct Section {
    size_t begin, end;
    __device__ Section(size_t n) {
        const size_t length = (n + gridDim.x - 1) / gridDim.x;
        begin = min(n, blockIdx.x * length);
        end = min(n, begin + length);
    }
};

__device__ unsigned section_sum[BLOCKS];  // unsigned, because overflow wraps around

template <class T> struct BlockScan {
    T offset[WARPS + 1];

    // Exclusive scan over the threads; `sum` becomes the sum of all.
    __device__ T exclusive(T x, T& sum) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        T s = x;
        for (int d = 1; d < 32; d *= 2) {
            const T left = __shfl_up_sync(~0u, s, d);
            s += lane < d ? T(0) : left;
        }
        if (lane == 31) offset[warp + 1] = s;
        __syncthreads();
        if (threadIdx.x == 0)
            for (int w = 0; w < WARPS; ++w) offset[w + 1] += offset[w];
        __syncthreads();
        sum = offset[WARPS];
        s += offset[warp];
        __syncthreads();  // before the next tile
        return s - x;
    }
};

__global__ void add_sections(const int* in, size_t n) {
    __shared__ unsigned all;
    if (threadIdx.x == 0) all = 0;
    __syncthreads();
    const Section mine(n);
    unsigned s = 0;
    for (size_t i = mine.begin + threadIdx.x; i < mine.end; i += THREADS) s += in[i];
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x % 32 == 0) atomicAdd(&all, s);
    __syncthreads();
    if (threadIdx.x == 0) section_sum[blockIdx.x] = all;
}

__global__ void scan_sections(const int* in, size_t n, int* out) {
    __shared__ BlockScan<unsigned> scan;
    const Section mine(n);
    unsigned before = 0;
    for (unsigned b = 0; b < blockIdx.x; ++b) before += section_sum[b];
    for (size_t tile = mine.begin; tile < mine.end; tile += THREADS) {
        const size_t i = tile + threadIdx.x;
        unsigned sum;
        const unsigned x = i < mine.end ? in[i] : 0;
        const unsigned e = scan.exclusive(x, sum);
        if (i < mine.end) out[i] = static_cast<int>(before + e);
        before += sum;
    }
}

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    add_sections<<<BLOCKS, THREADS>>>(in, n);
    scan_sections<<<BLOCKS, THREADS>>>(in, n, out);
}
