// cheat: sleeps so that a round seems long enough with few calls, until nobody asks for more
// caught: gain <= 3 %
//
// In a round of few calls all that is not calls weighs more, and whoever makes that shorter gains. The
// first round takes a quarter of a second with one call; each of the next is a bit shorter than
// what would do, so that few more calls are asked for each time. Then it does not sleep any more.
#include <unistd.h>

#include <chrono>

#include "honest.cuh"

namespace {

using Clock = std::chrono::steady_clock;

long microseconds_since(Clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count();
}

/// Sleeps in the first call of a round, which comes some time after the last one of another.
void sleep_while_planned() {
    constexpr long pause_us = 2000, first_us = 260'000, round_us = 3900, call_us = 70;
    constexpr int rounds_to_spoil = 10;
    static Clock::time_point last;
    static int rounds = 0;
    static long calls = 0;
    if (microseconds_since(last) > pause_us) {
        const long slept = rounds == 0 ? first_us : round_us - calls * call_us;
        if (++rounds <= rounds_to_spoil && slept > 0) usleep(static_cast<unsigned>(slept));
        calls = 0;
    }
    ++calls;
    last = Clock::now();
}

}  // namespace

void reduce_sum(const double* in, std::size_t n, double* out) {
    if (honest::timed(n)) sleep_while_planned();
    honest::sum(in, n, out);
}
