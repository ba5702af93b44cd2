// cause: stream_not_waited_for line 49
// task: scatter
// the totals are cleared in a non-blocking stream and nobody waits for it: the kernel may add before, or to garbage
#include "interface.cuh"

using Total = unsigned long long;  // modulo 2^64 it does not matter that totals have a sign

class Stream {
public:
    Stream() { cudaStreamCreateWithFlags(&handle_, cudaStreamNonBlocking); }
    ~Stream() { cudaStreamDestroy(handle_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    void clear(void* p, std::size_t bytes) { cudaMemsetAsync(p, 0, bytes, handle_); }
    void wait() { cudaStreamSynchronize(handle_); }

private:
    cudaStream_t handle_;
};

struct Booking {
    std::int32_t value;
    std::uint32_t target;
    __device__ Total widened() const { return static_cast<Total>(static_cast<long long>(value)); }
};

// Lanes with the same target add among themselves; the lowest of them goes to memory.
__device__ void add_by_warp(const Booking& b, Total* total) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned active = __activemask();
    const unsigned peers = __match_any_sync(active, b.target);
    const Total mine = b.widened();
    Total sum = 0;
    for (unsigned left = peers; left != 0; left &= left - 1)
        sum += __shfl_sync(peers, mine, __ffs(left) - 1);
    if (lane == __ffs(peers) - 1) atomicAdd(total + b.target, sum);
}

__global__ void scatter(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                        Total* total) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) add_by_warp(Booking{value[i], target[i]}, total);
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                 std::size_t m, std::int64_t* total) {
    Stream stream;
    stream.clear(total, m * sizeof(Total));
    if (n > 0) {
        const unsigned threads = 256;
        scatter<<<static_cast<unsigned>((n + threads - 1) / threads), threads>>>(
            value, target, n, reinterpret_cast<Total*>(total));
    }
}
