// cause: stream_not_waited_for line 30 or 31
// task: scatter
// The totals are cleared in one stream while kernels in two other non-blocking streams already add to them.
#include "interface.cuh"

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {}
void gather_sum(const float*, std::size_t, const std::uint32_t*, std::size_t, float*) {}

__global__ void add_part(const int* value, const unsigned* target, size_t n,
                         unsigned long long* total) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(total + target[i], (unsigned long long)(long long)value[i]);
}

static void launch_part(const int* value, const unsigned* target, size_t n,
                        unsigned long long* total, cudaStream_t stream) {
    if (n > 0) add_part<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(value, target, n, total);
}

// The bookings are processed in two halves that can run at the same time.
void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    static cudaStream_t stream[3] = {nullptr, nullptr, nullptr};
    if (!stream[0])
        for (auto& s : stream) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);

    auto* sum = (unsigned long long*)total;
    size_t half = n / 2;

    cudaMemsetAsync(sum, 0, m * sizeof(*sum), stream[0]);
    launch_part(value, target, half, sum, stream[1]);
    launch_part(value + half, target + half, n - half, sum, stream[2]);
}
