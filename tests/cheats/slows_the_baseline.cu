// cheat: leaves a kernel running for 40 ms after each round, in which the baseline may be timed
// caught: tampering "still running" or gain <= 3 %
// emulator: no
//
// It is over when the next inputs are made, which would show it. Where the baseline has had its
// turn before, it slows the rounds without a call, so that more is taken off the others.
#include "honest.cuh"
#include "left_running.cuh"
#include "requests.cuh"

namespace {

constexpr int passes = 700;

bool called = false;

void leave_a_kernel() {
    if (called) left_running::launch(passes);
    called = false;
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    if (honest::timed(n)) {
        left_running::prepare();
        requests::answering = leave_a_kernel;
        called = true;
    }
    honest::sum(in, n, out);
}
