// cheat: takes a millisecond for each request that asks for no call, so that more is taken off the others
// caught: gain <= 3 %
//
// What a round takes beside its calls is measured by rounds without one.
#include <chrono>

#include "honest.cuh"
#include "requests.cuh"

namespace {

void wait_without_calls(const requests::Request& request) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    while (request.no_calls && Clock::now() - start < std::chrono::milliseconds(1)) {
    }
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    requests::come = wait_without_calls;
    honest::sum(in, n, out);
}
