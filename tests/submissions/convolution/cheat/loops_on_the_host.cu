// expect: conv1d=time_limit
// at-most: conv1d=0
// limits: wall=1
// An endless loop on the host that no signal ends which can be blocked.
#include <signal.h>

#include "interface.cuh"

void convolve_1d(const float*, std::size_t, const float*, int, int, float*) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, nullptr);
    for (volatile int k = 0;; ++k) {
    }
}
