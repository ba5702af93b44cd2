// cheat: leaves a kernel running after two of its rounds, of which there are few
// caught: tampering or gain <= 3 %
// emulator: no
//
// A tier is given for the upper end of the speedup's interval, which two of ten rounds decide. They
// are so few because each request without a call takes 0.4 s: the time is over then.
#include <unistd.h>

#include "honest.cuh"
#include "requests.cuh"

namespace {

constexpr std::size_t bytes = std::size_t{256} << 20;
constexpr int passes = 2000;  // of some 60 us

__global__ void read_on(const uint4* data, unsigned* nowhere) {
    const std::size_t count = bytes / sizeof *data;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    unsigned seen = 0;
    for (int pass = 0; pass < passes; ++pass)
        for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
             i < count; i += stride)
            seen |= __ldcg(data + i).x;
    if (seen == 1) *nowhere = seen;
}

uint4* memory = nullptr;
bool called = false;
int rounds = 0;

void leave_a_kernel() {
    if (called && (++rounds == 5 || rounds == 7))
        read_on<<<528, 512>>>(memory, reinterpret_cast<unsigned*>(memory));
    called = false;
}

void sleep_without_calls(const requests::Request& request) {
    if (request.no_calls) usleep(400'000);
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    if (honest::timed(n)) {
        if (memory == nullptr) {
            cudaMalloc(&memory, bytes);
            cudaMemset(memory, 0, bytes);
            requests::answering = leave_a_kernel;
            requests::come = sleep_without_calls;
        }
        called = true;
    }
    honest::sum(in, n, out);
}
