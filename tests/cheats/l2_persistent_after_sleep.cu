// cheat: is slow at first, so that few inputs are made, which then stay in L2
// caught: gain <= 3 %
//
// Of many inputs L2 holds next to nothing. Who makes so few that slow calls take no longer than
// planned leaves it an eighth of one.
#include <unistd.h>

#include "honest.cuh"
#include "persist.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    constexpr int slow_calls = 3;
    constexpr unsigned pause_us = 600'000;
    static int calls = 0;
    if (!honest::timed(n)) {
        honest::sum(in, n, out);
        return;
    }
    if (calls++ < slow_calls) usleep(pause_us);
    persistent_sum(in, n, out);
}
