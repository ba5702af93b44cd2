// cause: missing_bounds_check line 33
// task: exclusive_int
// The inclusive result is stored one place further right, so the thread of the last element writes to out[n], which does not exist.
#include "interface.cuh"

#include <vector>

template <unsigned N>
__device__ void up_and_down(int (&s)[N]) {
    const unsigned t = threadIdx.x;
    // Brent and Kung, up
    for (unsigned d = 1; d < N; d *= 2) {
        __syncthreads();
        const unsigned k = (t + 1) * 2 * d - 1;
        if (k < N) s[k] += s[k - d];
    }
    // and down
    for (unsigned d = N / 4; d > 0; d /= 2) {
        __syncthreads();
        const unsigned k = (t + 1) * 2 * d - 1;
        if (k + d < N) s[k + d] += s[k];
    }
    __syncthreads();
}

template <unsigned N>
__global__ void block_scan(const int* in, std::size_t n, int* out, int* sums, unsigned shift) {
    __shared__ int s[N];
    const std::size_t i = std::size_t(blockIdx.x) * N + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0;
    up_and_down(s);
    if (i == 0 && shift == 1) out[0] = 0;
    if (i < n) out[i + shift] = s[threadIdx.x];
    if (threadIdx.x == 0) sums[blockIdx.x] = s[N - 1];
}

template <unsigned N>
__global__ void add_sums(int* out, std::size_t n, const int* sums, unsigned shift) {
    const std::size_t i = std::size_t(blockIdx.x) * N + threadIdx.x;
    if (blockIdx.x == 0 || i + shift >= n) return;
    out[i + shift] += sums[blockIdx.x - 1];
}

class Scanner {
public:
    void operator()(const int* in, std::size_t n, int* out, unsigned shift, std::size_t depth = 0) {
        const std::size_t blocks = (n + B - 1) / B;
        int* sums = buffer(2 * depth, blocks);
        block_scan<B><<<unsigned(blocks), B>>>(in, n, out, sums, shift);
        if (blocks == 1) return;
        int* scanned = buffer(2 * depth + 1, blocks);
        (*this)(sums, blocks, scanned, 0, depth + 1);
        add_sums<B><<<unsigned(blocks), B>>>(out, n, scanned, shift);
    }

private:
    static constexpr unsigned B = 512;
    struct Buffer {
        int* p;
        std::size_t size;
    };
    std::vector<Buffer> buffers_;

    int* buffer(std::size_t k, std::size_t size) {
        if (buffers_.size() <= k) buffers_.resize(k + 1, Buffer{nullptr, 0});
        Buffer& b = buffers_[k];
        if (b.size < size) {
            if (b.p) cudaFree(b.p);
            cudaMalloc(&b.p, size * sizeof(int));
            b.size = size;
        }
        return b.p;
    }
};

void scan_exclusive_int(const int* in, std::size_t n, int* out) {
    static Scanner scanner;
    scanner(in, n, out, 1);
}
