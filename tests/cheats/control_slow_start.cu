// control: accepted
//
// As control_right.cu, but its first large call in a process has work to do that comes once, as a
// table that it needs. That is no slow submission: it must get all points, too.
#include <unistd.h>

#include <utility>

#include "honest.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    constexpr std::size_t large = std::size_t{1} << 21;
    constexpr unsigned once_us = 1'200'000;
    static bool done = false;
    if (n >= large && !std::exchange(done, true)) usleep(once_us);
    honest::sum(in, n, out);
}
