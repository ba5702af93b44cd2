// cause: wrong_copy_direction line 52
// task: conv1d
// the mask lies in device memory, but the copy into constant memory says that it comes from the host: fails always
#include "interface.cuh"

constexpr int max_taps = 1024;  // 4 KB of the 64 KB
constexpr int block_size = 256;

__constant__ float taps[max_taps];

enum Ghost { zero = 0, replicate = 1, mirror = 2 };

// Which element stands for k? -1: none.
template <Ghost G> __device__ long long stand_in(long long k, long long n) {
    if (k >= 0 && k < n) return k;
    if constexpr (G == zero) {
        return -1;
    } else if constexpr (G == replicate) {
        return k < 0 ? 0 : n - 1;
    } else {
        k %= 2 * n;
        if (k < 0) k += 2 * n;
        return k < n ? k : 2 * n - 1 - k;
    }
}

// Adds the products with taps[0 .. count), the first of which belongs to in[i + shift].
template <Ghost G>
__global__ void add_piece(const float* in, long long n, int count, long long shift, bool first,
                          float* out) {
    extern __shared__ float tile[];
    const long long begin = static_cast<long long>(blockIdx.x) * blockDim.x;
    for (int t = threadIdx.x; t < block_size + count - 1; t += block_size) {
        const long long k = stand_in<G>(begin + shift + t, n);
        tile[t] = k < 0 ? 0.0f : in[k];
    }
    __syncthreads();
    const long long i = begin + threadIdx.x;
    if (i >= n) return;
    float sum = first ? 0.0f : out[i];
    for (int j = 0; j < count; ++j) sum += taps[j] * tile[threadIdx.x + j];
    out[i] = sum;
}

template <Ghost G>
void convolve_pieces(const float* in, std::size_t n, const float* mask, int mask_width,
                     float* out) {
    const unsigned blocks = static_cast<unsigned>((n + block_size - 1) / block_size);
    // wide masks: one piece of the mask after the other
    for (int done = 0; done < mask_width; done += max_taps) {
        const int count = mask_width - done < max_taps ? mask_width - done : max_taps;
        cudaMemcpyToSymbol(taps, mask + done, count * sizeof(float), 0, cudaMemcpyHostToDevice);
        const std::size_t tile_bytes = (block_size + count - 1) * sizeof(float);
        add_piece<G><<<blocks, block_size, tile_bytes>>>(
            in, static_cast<long long>(n), count, done - mask_width / 2, done == 0, out);
    }
}

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost,
                 float* out) {
    switch (ghost) {
    case zero: convolve_pieces<zero>(in, n, mask, mask_width, out); break;
    case replicate: convolve_pieces<replicate>(in, n, mask, mask_width, out); break;
    default: convolve_pieces<mirror>(in, n, mask, mask_width, out);
    }
}
