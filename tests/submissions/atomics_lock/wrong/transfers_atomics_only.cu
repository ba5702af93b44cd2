// expect: transfers=nondeterministic
// expect-gpu: transfers=nondeterministic|wrong_answer
// An atomic for each number and no lock: money is conserved, but balance and version on the
// receipts come from different moments.
#include "interface.cuh"

__global__ void bank(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount,
                     std::size_t n, unsigned long long* balance, unsigned long long* version,
                     std::int64_t* receipt) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const std::uint32_t f = from[i], t = to[i];
    const auto a = static_cast<unsigned long long>(amount[i]);
    receipt[4 * i + 2] = static_cast<std::int64_t>(atomicAdd(balance + f, ~a + 1) - a);
    receipt[4 * i + 3] = static_cast<std::int64_t>(atomicAdd(balance + t, a) + a);
    receipt[4 * i] = static_cast<std::int64_t>(atomicAdd(version + f, 1ull) + 1);
    receipt[4 * i + 1] = receipt[4 * i];
    if (t != f) receipt[4 * i + 1] = static_cast<std::int64_t>(atomicAdd(version + t, 1ull) + 1);
    if (t == f) receipt[4 * i + 2] = receipt[4 * i + 3];
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    cudaMemcpy(balance, opening, accounts * sizeof *balance, cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof *version);
    if (n == 0) return;
    bank<<<static_cast<unsigned>((n + 127) / 128), 128>>>(
        from, to, amount, n, reinterpret_cast<unsigned long long*>(balance),
        reinterpret_cast<unsigned long long*>(version), receipt);
}
