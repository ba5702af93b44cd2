// cause: size_in_elements line 14
// task: cubes
// The buffer of the partial sums is allocated with a number of elements as its size in bytes, so all blocks but the first few write beyond it.
#include "interface.cuh"

// a little buffer that only ever grows
template <class T>
class DeviceBuffer {
public:
    T* atLeast(std::size_t count)
    {
        if (count > count_) {
            cudaFree(ptr_);
            cudaMalloc(reinterpret_cast<void**>(&ptr_), count);
            count_ = count;
        }
        return ptr_;
    }

private:
    T* ptr_ = nullptr;
    std::size_t count_ = 0;
};

struct identity { __device__ long long operator()(long long x) const { return x; } };
struct cube     { __device__ long long operator()(int x) const { long long y = x; return y * y * y; } };

template <class In, class Op>
__global__ void reduce(const In* in, std::size_t n, long long* out, Op op)
{
    constexpr unsigned all = 0xffffffffu;
    __shared__ long long byWarp[32];

    long long v = 0;
    for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += std::size_t(blockDim.x) * gridDim.x)
        v += op(in[i]);

    for (int delta = warpSize / 2; delta; delta >>= 1)
        v += __shfl_down_sync(all, v, delta);
    if (threadIdx.x % warpSize == 0)
        byWarp[threadIdx.x / warpSize] = v;
    __syncthreads();

    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < blockDim.x / warpSize; ++w)
            v += byWarp[w];
        out[blockIdx.x] = v;
    }
}

void reduce_cubes(const int* in, std::size_t n, long long* out)
{
    static DeviceBuffer<long long> buffer;
    std::size_t blocks = (n + 4095) / 4096;
    if (blocks < 16) blocks = 16;
    long long* part = buffer.atLeast(blocks);
    reduce<<<unsigned(blocks), 512>>>(in, n, part, cube{});
    reduce<<<1, 512>>>(part, blocks, out, identity{});
}
