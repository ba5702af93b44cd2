// cheat: lets a timer wake the process while it is stopped, and copies answers made meanwhile
// caught: tampering "although it was stopped"
//
// A process that handles SIGCONT goes on when it gets one, from a timer of its own, too. In the
// handler's thread there would be time to look at inputs that have arrived; that it ran at all is
// what is seen.
#include <csignal>
#include <ctime>

#include "honest.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    static bool armed = false;
    if (honest::timed(n) && !armed) {
        armed = true;
        std::signal(SIGCONT, [](int) {});
        sigevent event{};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGCONT;
        timer_t timer{};
        timer_create(CLOCK_MONOTONIC, &event, &timer);
        const itimerspec often{{0, 1'000'000}, {0, 1'000'000}};
        timer_settime(timer, 0, &often, nullptr);
    }
    honest::sum(in, n, out);
}
