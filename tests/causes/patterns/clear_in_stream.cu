// cause: stream_not_waited_for line 44 or 45 or 46
// task: scatter
// the totals are cleared in one non-blocking stream and added to in another, and nothing makes the second wait for the first
#include "interface.cuh"
#include <stdexcept>

namespace {

class Stream {
public:
    Stream() {
        if (cudaStreamCreateWithFlags(&s_, cudaStreamNonBlocking) != cudaSuccess)
            throw std::runtime_error("no stream");
    }
    ~Stream() {
        cudaStreamSynchronize(s_);
        cudaStreamDestroy(s_);
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    operator cudaStream_t() const { return s_; }

private:
    cudaStream_t s_{};
};

__global__ void fill_zero(std::int64_t* p, std::size_t m) {
    for (std::size_t t = blockIdx.x * blockDim.x + threadIdx.x; t < m; t += std::size_t(gridDim.x) * blockDim.x)
        p[t] = 0;
}

__global__ void accumulate(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::int64_t* total) {
    const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const std::int64_t wide = value[i];
    atomicAdd(reinterpret_cast<unsigned long long*>(total) + target[i], static_cast<unsigned long long>(wide));
}

}  // namespace

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t m,
                 std::int64_t* total) {
    Stream clearing, adding;
    fill_zero<<<static_cast<unsigned>(m / 256 < 256 ? m / 256 + 1 : 256), 256, 0, clearing>>>(total, m);
    if (n != 0)
        accumulate<<<static_cast<unsigned>((n + 255) / 256), 256, 0, adding>>>(value, target, n, total);
}
