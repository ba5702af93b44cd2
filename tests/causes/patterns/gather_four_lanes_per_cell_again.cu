// cause: missing_warp_sync line 20 or 21
// task: gather
// Four lanes share a cell and leave their values in shared memory; the first one adds them up without waiting for the other three.
#include "interface.cuh"

#define THREADS 256
#define CELLS   (THREADS / 4)

// Four lanes per cell: lane k fetches the value of neighbour k, so the indices are read
// perfectly coalesced. All four lanes of a cell are in one warp.
__global__ void gather4(const float* value, const std::uint32_t* neighbour, std::size_t n,
                        float* out) {
    __shared__ float part[THREADS];

    const std::size_t cell = std::size_t(blockIdx.x) * CELLS + threadIdx.x / 4;
    const int k = threadIdx.x & 3;

    float v = 0.0f;
    if (cell < n) v = value[neighbour[cell * 4 + k]];
    part[threadIdx.x] = v;
    if (k == 0 && cell < n) {
        const float* p = &part[threadIdx.x];
        out[cell] = (p[0] + p[1]) + (p[2] + p[3]);
    }
}

void gather_sum(const float* value, std::size_t m, const std::uint32_t* neighbour, std::size_t n,
                float* out) {
    (void)m;
    const std::size_t blocks = (n + CELLS - 1) / CELLS;
    gather4<<<blocks, THREADS>>>(value, neighbour, n, out);
}

void map_cubic(const float* /*x*/, std::size_t /*n*/, float /*c0*/, float /*c1*/, float /*c2*/,
               float /*c3*/, float* /*y*/) {
    // TODO: write a kernel and launch it here.
}

void scatter_add(const std::int32_t* /*value*/, const std::uint32_t* /*target*/, std::size_t /*n*/,
                 std::size_t /*m*/, std::int64_t* /*total*/) {
    // TODO
}
