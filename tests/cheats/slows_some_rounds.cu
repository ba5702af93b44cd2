// cheat: leaves a kernel running after every second round that counts, so that few baselines are slow
// caught: tampering or gain <= 3 %
// emulator: no
//
// A tier is given for the upper end of the speedup's interval, which the largest of its samples
// decide: the baseline's turn comes after such a round in a quarter of the pairs.
#include "honest.cuh"
#include "requests.cuh"

namespace {

constexpr std::size_t bytes = std::size_t{256} << 20;
constexpr int passes = 2000;  // of some 60 us
constexpr int not_counted = 4;

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
    if (called && ++rounds > not_counted && rounds % 2 == 0)
        read_on<<<528, 512>>>(memory, reinterpret_cast<unsigned*>(memory));
    called = false;
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    if (honest::timed(n)) {
        if (memory == nullptr) {
            cudaMalloc(&memory, bytes);
            cudaMemset(memory, 0, bytes);
            requests::answering = leave_a_kernel;
        }
        called = true;
    }
    honest::sum(in, n, out);
}
