// cheat: lets a timer wake the process while it is stopped, and copies answers made meanwhile
// caught: tampering "although it was stopped" or gain <= 3 %
//
// A process that handles SIGCONT goes on when it gets one, from a timer of its own, too. In the
// handler's thread there would be time to look at inputs that have arrived; that it ran at all is
// what is seen. (A signal that is pending when the process is stopped is lost, and its timer then
// stays silent until the next call.)
#include <csignal>
#include <ctime>

#include "honest.cuh"

void reduce_sum(const double* in, std::size_t n, double* out) {
    static timer_t timer{};
    static bool made = false;
    if (honest::timed(n)) {
        if (!made) {
            std::signal(SIGCONT, [](int) {});
            sigevent event{};
            event.sigev_notify = SIGEV_SIGNAL;
            event.sigev_signo = SIGCONT;
            timer_create(CLOCK_MONOTONIC, &event, &timer);
            made = true;
        }
        const itimerspec often{{0, 1'000'000}, {0, 1'000'000}};
        timer_settime(timer, 0, &often, nullptr);
    }
    honest::sum(in, n, out);
}
