// expect: sum=accepted
// at-most: sum.performance=0
// Probes where memory shared with the grader or the emulator could lie, without a fault: a page that is there can be
// written to a pipe. Throws if device memory can be read like that, or if another process's can.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>

#include "interface.cuh"

namespace {
void probe(const void* device) {
    int ends[2];
    if (pipe(ends) != 0) return;
    const auto readable = [&](std::uint64_t address) {
        char byte = 0;
        return write(ends[1], reinterpret_cast<const void*>(address), 1) == 1 && read(ends[0], &byte, 1) == 1;
    };
    const auto start = reinterpret_cast<std::uint64_t>(device) & ~std::uint64_t{4095};
    for (std::uint64_t page = 0; page < 4096; ++page)
        if (readable(start - (2048 << 12) + (page << 12)) || msync(reinterpret_cast<void*>(start + (page << 12)), 1, MS_ASYNC) == 0)
            throw std::runtime_error("device memory is mapped");
    close(ends[0]);
    close(ends[1]);
}
}  // namespace

__global__ void add(const double* in, std::size_t n, double* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    probe(out);
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) add<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}
