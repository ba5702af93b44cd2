// expect: conv1d=time_limit|crash|output_limit|launch_error
// at-most: conv1d=0
// Limits of its own that end it by the kernel's signals, as if the machine had none left of what it needs.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "interface.cuh"

void convolve_1d(const float*, std::size_t n, const float*, int, int, float*) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 1);
    setpriority(PRIO_PROCESS, 0, 19);
    for (const auto what : {RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_STACK, RLIMIT_NPROC, RLIMIT_CPU}) {
        const rlimit none{0, 0};
        setrlimit(what, &none);
    }
    if (n % 2 == 0) raise(SIGXFSZ);
    for (volatile int k = 0;; ++k) {
    }
}
