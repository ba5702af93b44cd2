// cheat: leaves a kernel running for 40 ms after each round, in which the baseline may be timed
// caught: tampering "still running" or gain <= 3 %
// emulator: no
//
// It is over when the next inputs are made, which would show it. Where the baseline has had its
// turn before, it slows the rounds without a call, so that more is taken off the others.
#include "left_running.cuh"

namespace {

constexpr int passes = 700;

bool each(int) { return true; }

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    left_running::sum<passes, each>(in, n, out);
}
