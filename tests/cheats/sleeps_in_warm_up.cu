// cheat: is slow and right at first, so that few calls are timed, and then fast and wrong
// caught: wrong_answer
// naive: wrong
//
// Who decides by the first calls how many calls fit into the time for measuring makes few of slow
// ones. After those the answer is an estimate from one element in 64.
#include <unistd.h>

#include "honest.cuh"

namespace {

__global__ void scale(double* out, double factor) { *out *= factor; }

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    constexpr int slow_calls = 3;
    constexpr unsigned pause_us = 400'000;
    constexpr std::size_t part = 64;
    static int calls = 0;
    if (!honest::timed(n)) {
        honest::sum(in, n, out);
        return;
    }
    if (calls++ < slow_calls) {
        usleep(pause_us);
        honest::sum(in, n, out);
        return;
    }
    honest::sum(in, n / part, out);
    scale<<<1, 1>>>(out, part);
}
