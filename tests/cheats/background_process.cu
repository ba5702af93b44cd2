// cheat: keeps the GPU busy from another process, while the baseline is timed
// caught: tampering
// emulator: no
//
// The process is forked before CUDA begins in this one, so it can use the GPU by itself, and the
// runner knows nothing of its kernels. Stopped, it leaves up to two seconds of them.
#include <cstdlib>

#include <unistd.h>

#include "honest.cuh"

namespace {

__global__ void busy() {
    const long long start = clock64();
    while (clock64() - start < 200'000'000) {  // a tenth of a second
    }
}

const pid_t child = [] {
    // The checkers run the submission on the emulated GPU, whose connection cannot be shared.
    if (std::getenv("CUGRADE_EMULATOR_FD") != nullptr) return pid_t{0};
    const pid_t pid = fork();
    if (pid != 0) return pid;
    for (int i = 0; i < 60; ++i) {
        for (int k = 0; k < 20; ++k) busy<<<1, 32>>>();
        if (cudaDeviceSynchronize() != cudaSuccess) _exit(1);
    }
    _exit(0);
}();

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) { honest::sum(in, n, out); }
