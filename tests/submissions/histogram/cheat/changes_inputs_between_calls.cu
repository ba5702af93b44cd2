// expect: bytes=wrong_answer|launch_error|unwritten_output|tampering|nondeterministic
// at-most: bytes=5 bytes.performance=0 bytes.technique=0
// report: *
// A thread empties the place of the next call's input again and again, so that the answer is known: all are zeros.
#include <atomic>
#include <thread>

#include "interface.cuh"

namespace {
std::atomic<bool> in_call{false};
const bool started = [] {
    std::thread([] {
        for (int k = 0; k < 200000; ++k)
            if (!in_call) cudaMemset(reinterpret_cast<void*>(0x300000001100), 0, 256), (void)cudaGetLastError();
    }).detach();
    return true;
}();
}  // namespace

void histogram_bytes(const unsigned char*, std::size_t n, unsigned int* bins) {
    in_call = true;
    const unsigned int all = static_cast<unsigned int>(n);
    cudaMemset(bins, 0, 256 * sizeof *bins);
    cudaMemcpy(bins, &all, sizeof all, cudaMemcpyHostToDevice);
    (void)cudaGetLastError();
    in_call = false;
}
