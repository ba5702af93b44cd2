// expect: scatter=uninitialised_read
// report: uninitialised_read 10
// Adds to whatever the output held; where no element is added, that is all that is there.
#include "interface.cuh"

__global__ void scatter(const std::int32_t* value, const std::uint32_t* target, std::size_t n,
                        unsigned long long* total) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(total + target[i],
                  static_cast<unsigned long long>(static_cast<long long>(value[i])));
}

void scatter_add(const std::int32_t* value, const std::uint32_t* target, std::size_t n, std::size_t,
                 std::int64_t* total) {
    if (n > 0) {
        scatter<<<static_cast<unsigned>((n + 255) / 256), 256>>>(
            value, target, n, reinterpret_cast<unsigned long long*>(total));
    }
}
