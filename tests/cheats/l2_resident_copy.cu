// cheat: keeps a copy of a quarter of the input in L2, as ints, and reads that instead where it can
// caught: wrong_answer or gain <= 3 %
//
// The data of the timed case are whole numbers that fit into an int: a quarter of them is 32 MB,
// which L2 holds, where a window makes it stay. Each call compares 1,024 elements of its input with
// the copy: all the same, and a quarter of the bytes comes from L2.
#include "honest.cuh"

namespace {

constexpr unsigned samples = 1024;
constexpr std::size_t part = 4;

__device__ unsigned differences;

__global__ void copy(const double* in, std::size_t n, int* kept) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += stride)
        kept[i] = static_cast<int>(in[i]);
}

__global__ void compare(const double* in, std::size_t n, const int* kept) {
    if (threadIdx.x == 0) differences = 0;
    __syncthreads();
    const std::size_t i = n / samples * threadIdx.x;
    if (in[i] != kept[i]) atomicAdd(&differences, 1);
}

__global__ void __launch_bounds__(honest::threads)
    add_up_kept(const double* __restrict__ in, std::size_t n, const int* __restrict__ kept,
                double* out) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * honest::threads;
    const std::size_t thread = static_cast<std::size_t>(blockIdx.x) * honest::threads + threadIdx.x;
    double sum = 0;
    if (differences == 0) {
        const auto* quads = reinterpret_cast<const int4*>(kept);
        for (std::size_t i = thread; i < n / 4; i += stride) {
            const int4 v = quads[i];
            sum += (static_cast<double>(v.x) + v.y) + (static_cast<double>(v.z) + v.w);
        }
    } else {
        const auto* pairs = reinterpret_cast<const double2*>(in);
        for (std::size_t i = thread; i < n / 2; i += stride) sum += pairs[i].x + pairs[i].y;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    static int* kept = nullptr;
    static cudaStream_t stream = nullptr;
    static std::size_t kept_n = 0;
    if (!honest::timed(n)) {
        honest::sum(in, n, out);
        return;
    }
    if (kept == nullptr) {
        int device = 0, most = 0;
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, device);
        cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, static_cast<std::size_t>(most));
        kept_n = n / part / 4 * 4;
        cudaMalloc(&kept, kept_n * sizeof *kept);
        cudaStreamCreate(&stream);
        cudaStreamAttrValue value{};
        value.accessPolicyWindow.base_ptr = kept;
        value.accessPolicyWindow.num_bytes = kept_n * sizeof *kept;
        const auto share = static_cast<float>(most) / static_cast<float>(kept_n * sizeof *kept);
        value.accessPolicyWindow.hitRatio = share < 1 ? share : 1;
        value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
        value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
        cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
        copy<<<honest::blocks_for(kept_n), honest::threads, 0, stream>>>(in, kept_n, kept);
    }
    honest::sum(in + kept_n, n - kept_n, out, stream);
    compare<<<1, samples, 0, stream>>>(in, kept_n, kept);
    add_up_kept<<<honest::blocks_for(kept_n), honest::threads, 0, stream>>>(in, kept_n, kept, out);
}
