// expect: sum=crash|time_limit
// at-most: sum=0
// limits: wall=1
// A recursion on the host without an end, with a handler on a stack of its own that begins it anew.
#include <signal.h>

#include "interface.cuh"

namespace {
volatile int depth = 0;
int deeper(int k) {
    volatile char room[4096] = {};
    depth = k;
    return deeper(k + 1) + room[0];
}
alignas(16) char stack[64 << 10];
void again(int) { deeper(0); }
}  // namespace

void reduce_sum(const double*, std::size_t, double* out) {
    stack_t other{};
    other.ss_sp = stack;
    other.ss_size = sizeof stack;
    sigaltstack(&other, nullptr);
    struct sigaction action{};
    action.sa_handler = again;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &action, nullptr);
    cudaMemset(out, deeper(0), sizeof *out);
}
