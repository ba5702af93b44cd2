// cause: state_kept_between_calls line 34
// task: bytes
// The rows to which the launches add are cleared when they are allocated, and keep the counts of the first call in the second.
#include "interface.cuh"

namespace {

constexpr unsigned int grid = 16;
constexpr std::size_t piece = std::size_t{1} << 22;  // bytes per launch

__global__ void add_piece(const unsigned char* in, std::size_t n, unsigned int* rows) {
    __shared__ unsigned int local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (std::size_t i = blockIdx.x * 256u + threadIdx.x; i < n; i += grid * 256u) {
        atomicAdd(&local[in[i]], 1u);
    }
    __syncthreads();
    rows[blockIdx.x * 256u + threadIdx.x] += local[threadIdx.x];
}

__global__ void add_rows(const unsigned int* rows, unsigned int* bins) {
    unsigned int sum = 0;
    for (unsigned int r = 0; r < grid; ++r) sum += rows[r * 256u + threadIdx.x];
    bins[threadIdx.x] = sum;
}

}  // namespace

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    static unsigned int* rows = nullptr;  // allocating takes long: once is enough
    if (rows == nullptr) {
        cudaMalloc(&rows, grid * 256 * sizeof(unsigned int));
        cudaMemset(rows, 0, grid * 256 * sizeof(unsigned int));
    }
    for (std::size_t done = 0; done < n; done += piece) {
        const std::size_t left = n - done;
        add_piece<<<grid, 256>>>(in + done, left < piece ? left : piece, rows);
    }
    add_rows<<<1, 256>>>(rows, bins);
}

void histogram_bins(const unsigned int* /*in*/, std::size_t /*n*/, unsigned int* /*bins*/,
                    unsigned int /*bin_count*/) {
    // TODO
}
