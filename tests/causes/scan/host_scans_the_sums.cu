// cause: inclusive_exclusive line 72
// task: exclusive_int
// the host turns the tile sums into an inclusive scan, so each tile gets its own sum added, too; shows in every case
#include "interface.cuh"

#include <cstdint>
#include <numeric>
#include <vector>

namespace blelloch {

constexpr unsigned Tile = 1024;
constexpr unsigned Threads = Tile / 2;

__global__ void tiles(const int* in, std::size_t n, int* out, std::uint32_t* sums)
{
    __shared__ std::uint32_t tree[Tile];
    const std::size_t base = std::size_t{blockIdx.x} * Tile;
    const auto load = [&](unsigned k) -> std::uint32_t { return base + k < n ? in[base + k] : 0; };

    tree[threadIdx.x] = load(threadIdx.x);
    tree[threadIdx.x + Threads] = load(threadIdx.x + Threads);

    unsigned offset = 1;
    for (unsigned active = Threads; active > 0; active >>= 1, offset <<= 1) {
        __syncthreads();
        if (threadIdx.x < active) {
            const unsigned l = offset * (2 * threadIdx.x + 1) - 1;
            tree[l + offset] += tree[l];
        }
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = tree[Tile - 1];
        tree[Tile - 1] = 0;
    }
    for (unsigned active = 1; active < Tile; active <<= 1) {
        offset >>= 1;
        __syncthreads();
        if (threadIdx.x < active) {
            const unsigned l = offset * (2 * threadIdx.x + 1) - 1;
            const auto t = tree[l];
            tree[l] = tree[l + offset];
            tree[l + offset] += t;
        }
    }
    __syncthreads();

    for (unsigned k = threadIdx.x; k < Tile; k += Threads)
        if (base + k < n) out[base + k] = static_cast<int>(tree[k]);
}

__global__ void shift(int* out, std::size_t n, const std::uint32_t* before)
{
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = static_cast<int>(static_cast<std::uint32_t>(out[i]) + before[i / Tile]);
}

}  // namespace blelloch

void scan_exclusive_int(const int* in, std::size_t n, int* out)
{
    using namespace blelloch;
    const std::size_t count = (n + Tile - 1) / Tile;

    std::uint32_t* d_sums = nullptr;
    cudaMalloc(&d_sums, count * sizeof *d_sums);
    tiles<<<static_cast<unsigned>(count), Threads>>>(in, n, out, d_sums);

    std::vector<std::uint32_t> sums(count);
    cudaMemcpy(sums.data(), d_sums, count * sizeof *d_sums, cudaMemcpyDeviceToHost);
    std::inclusive_scan(sums.begin(), sums.end(), sums.begin());
    cudaMemcpy(d_sums, sums.data(), count * sizeof *d_sums, cudaMemcpyHostToDevice);

    shift<<<256, 256>>>(out, n, d_sums);
    cudaFree(d_sums);
}
