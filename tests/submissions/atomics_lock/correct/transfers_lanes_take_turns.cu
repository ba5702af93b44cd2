// expect: transfers=accepted
// No order of locks: whoever does not get both lets go and tries again. Lanes of a warp that are in
// each other's way would do so in step, for ever; so they take turns. So do two warps that wait
// equally long each time, and among many who try again at once hardly one finds both free; so each
// waits for a random time, and up to twice as long after each failure (as Ethernet does).
#include "interface.cuh"

/// One transfer, while its two accounts are held.
__device__ void book(std::size_t i, std::uint32_t f, std::uint32_t t, std::int64_t amount,
                     volatile std::int64_t* balance, volatile std::uint64_t* version,
                     std::int64_t* receipt) {
    balance[f] = balance[f] - amount;
    balance[t] = balance[t] + amount;
    version[f] = version[f] + 1;
    if (t != f) version[t] = version[t] + 1;
    receipt[4 * i] = static_cast<std::int64_t>(version[f]);
    receipt[4 * i + 1] = static_cast<std::int64_t>(version[t]);
    receipt[4 * i + 2] = balance[f];
    receipt[4 * i + 3] = balance[t];
}

constexpr unsigned shortest_wait_ns = 64, longest_wait_ns = 1 << 16;

/// The next of a sequence of 32-bit numbers, whose upper bits look random (Numerical Recipes).
__device__ unsigned next_random(unsigned x) { return 1664525 * x + 1013904223; }

__global__ void bank(const std::uint32_t* from, const std::uint32_t* to, const std::int64_t* amount,
                     std::size_t n, std::int64_t* balance, std::uint64_t* version,
                     std::int64_t* receipt, int* mutex) {
    const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned random = next_random(static_cast<unsigned>(i));
    for (unsigned turn = 0; turn < 32; ++turn) {
        bool blocked = threadIdx.x % 32 == turn && i < n;
        unsigned wait_ns = shortest_wait_ns;
        while (blocked) {
            const std::uint32_t f = from[i], t = to[i];
            if (atomicCAS(mutex + f, 0, 1) == 0) {
                if (f == t || atomicCAS(mutex + t, 0, 1) == 0) {
                    __threadfence();
                    book(i, f, t, amount[i], balance, version, receipt);
                    __threadfence();
                    blocked = false;
                    if (f != t) atomicExch(mutex + t, 0);
                }
                atomicExch(mutex + f, 0);
            }
            if (!blocked) continue;
            random = next_random(random);
            __nanosleep((random >> 8) % wait_ns);
            wait_ns = wait_ns < longest_wait_ns ? 2 * wait_ns : wait_ns;
        }
        __syncwarp();
    }
}

void transfers(const std::int64_t* opening, std::size_t accounts, const std::uint32_t* from,
               const std::uint32_t* to, const std::int64_t* amount, std::size_t n,
               std::int64_t* balance, std::uint64_t* version, std::int64_t* receipt) {
    cudaMemcpy(balance, opening, accounts * sizeof *balance, cudaMemcpyDeviceToDevice);
    cudaMemset(version, 0, accounts * sizeof *version);
    if (n == 0) return;
    int* mutex = nullptr;
    cudaMalloc(&mutex, accounts * sizeof *mutex);
    cudaMemset(mutex, 0, accounts * sizeof *mutex);
    bank<<<static_cast<unsigned>((n + 127) / 128), 128>>>(from, to, amount, n, balance, version,
                                                          receipt, mutex);
    cudaFree(mutex);
}
