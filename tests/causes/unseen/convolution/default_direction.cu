// cause: wrong_copy_direction line 66
// task: conv1d
// The mask lies in device memory, but cudaMemcpyToSymbol copies from the host unless told otherwise; shows for every mask of up to 1024 taps.
#include "interface.cuh"

namespace conv {

constexpr int threads = 192;
constexpr int limit = 1024;
__constant__ float taps[limit];

struct Signal {
    const float* data;
    long long n;
    int ghost;

    __device__ float operator[](long long k) const
    {
        if (0 <= k && k < n) return data[k];
        if (ghost == 1) return data[k < 0 ? 0 : n - 1];
        if (ghost == 2) {
            while (k < 0 || k >= n) k = k < 0 ? -1 - k : 2 * n - 1 - k;
            return data[k];
        }
        return 0.f;
    }
};

template <class Tap>
__device__ void compute(const Signal& in, int m, float* out, Tap tap)
{
    extern __shared__ float tile[];
    const long long origin = (long long)blockIdx.x * threads;
    for (int k = threadIdx.x; k < threads + m - 1; k += threads) tile[k] = in[origin + k - m / 2];
    __syncthreads();
    if (origin + threadIdx.x < in.n) {
        float s = 0.f;
        for (int k = 0; k < m; ++k) s = fmaf(tap(k), tile[threadIdx.x + k], s);
        out[origin + threadIdx.x] = s;
    }
}

__global__ void narrow(Signal in, int m, float* out)
{
    compute(in, m, out, [](int k) { return taps[k]; });
}

__global__ void wide(Signal in, const float* mask, int m, float* out)
{
    compute(in, m, out, [mask](int k) { return __ldg(mask + k); });
}

}  // namespace conv

void convolve_1d(const float* in, std::size_t n, const float* mask, int mask_width, int ghost, float* out)
{
    using namespace conv;
    const Signal signal{in, (long long)n, ghost};
    const auto grid = static_cast<unsigned>((n + threads - 1) / threads);
    const std::size_t bytes = sizeof(float) * (threads + mask_width - 1);

    if (mask_width > limit) {
        wide<<<grid, threads, bytes>>>(signal, mask, mask_width, out);
        return;
    }
    cudaMemcpyToSymbol(taps, mask, mask_width * sizeof(float));
    narrow<<<grid, threads, bytes>>>(signal, mask_width, out);
}
