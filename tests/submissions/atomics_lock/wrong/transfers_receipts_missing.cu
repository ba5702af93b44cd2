// expect: transfers=wrong_answer
// Balances and versions are right (each is a sum, so atomics do), but no receipt is written.
#include "interface.cuh"

__global__ void bank(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount,
                     std::size_t n, unsigned long long* balance, unsigned long long* version) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const auto a = static_cast<unsigned long long>(amount[i]);
    atomicAdd(balance + from[i], ~a + 1);
    atomicAdd(balance + to[i], a);
    atomicAdd(version + from[i], 1ull);
    if (to[i] != from[i]) atomicAdd(version + to[i], 1ull);
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t*) {
    cudaMemcpy(balance, opening, accounts * sizeof *balance, cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof *version);
    if (n == 0) return;
    bank<<<static_cast<unsigned>((n + 127) / 128), 128>>>(
        from, to, amount, n, reinterpret_cast<unsigned long long*>(balance),
        reinterpret_cast<unsigned long long*>(version));
}
