// expect: map=accepted
// Control: a handler, a timer, a lower priority, a function for the exit; all of it proper.
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <cstdlib>
#include <stdexcept>

#include "interface.cuh"

namespace {
volatile sig_atomic_t seen = 0;
void note(int) { seen = seen + 1; }
}  // namespace

__global__ void cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
}

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    static const bool once = [] {
        signal(SIGUSR1, note);
        signal(SIGALRM, note);
        setpriority(PRIO_PROCESS, 0, 1);
        std::atexit([] { seen = 0; });
        const itimerval often{{0, 1000}, {0, 1000}};
        setitimer(ITIMER_REAL, &often, nullptr);
        return true;
    }();
    raise(SIGUSR1);
    if (!once || seen == 0) throw std::runtime_error("no signal came");
    cubic<<<static_cast<unsigned>((n + 255) / 256), 256>>>(x, n, c0, c1, c2, c3, y);
}
