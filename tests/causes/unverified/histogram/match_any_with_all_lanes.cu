// cause: wrong_shuffle_mask line 39
// task: bins
// __match_any_sync names all 32 lanes, but lanes beyond the end do not take part: undefined (may hang) whenever n is not a multiple of 32.
#include "interface.cuh"

__global__ void hist_uchar4(const unsigned char* in, size_t n, unsigned int* bins) {
    __shared__ unsigned int part[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) part[b] = 0;
    __syncthreads();
    size_t gid = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t all = (size_t)gridDim.x * blockDim.x;
    const uchar4* in4 = reinterpret_cast<const uchar4*>(in);
    for (size_t i = gid; i < n / 4; i += all) {
        uchar4 v = in4[i];
        atomicAdd(&part[v.x], 1u);
        atomicAdd(&part[v.y], 1u);
        atomicAdd(&part[v.z], 1u);
        atomicAdd(&part[v.w], 1u);
    }
    if (gid < n % 4) atomicAdd(&part[in[n / 4 * 4 + gid]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], part[b]);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    cudaMemset(bins, 0, 1024);
    hist_uchar4<<<80, 128>>>(in, n, bins);
}

// Lanes of a warp with equal values elect a leader, which adds for all of them.
__global__ void aggregate(const unsigned int* in, size_t n, unsigned int* bins) {
    const unsigned int lane = threadIdx.x % 32;
    const size_t warps = (size_t)gridDim.x * (blockDim.x / 32);
    const size_t warp = (size_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    for (size_t base = warp * 32; base < n; base += warps * 32) {
        const size_t i = base + lane;
        if (i < n) {
            unsigned int v = in[i];
            unsigned int peers = __match_any_sync(0xffffffffu, v);
            if (lane == __ffs(peers) - 1) atomicAdd(&bins[v], (unsigned int)__popc(peers));
        }
    }
}

void histogram_bins(const unsigned int* in, std::size_t n, unsigned int* bins,
                    unsigned int bin_count) {
    cudaMemset(bins, 0, (size_t)bin_count * sizeof(unsigned int));
    aggregate<<<128, 256>>>(in, n, bins);
}
