// expect: map=unwritten_output
// at-most: map=0
// Reads device memory on the host, catches the signal and goes on behind it.
#include <setjmp.h>
#include <signal.h>

#include "interface.cuh"

namespace {
sigjmp_buf behind;
void back(int) { siglongjmp(behind, 1); }
}  // namespace

void map_cubic(const float* x, std::size_t n, float c0, float c1, float c2, float c3, float* y) {
    for (const int number : {SIGSEGV, SIGBUS, SIGABRT}) signal(number, back);
    for (std::size_t i = 0; i < n && i < 100; ++i)
        if (sigsetjmp(behind, 1) == 0) y[i] = c0 + x[i] * (c1 + x[i] * (c2 + x[i] * c3));
}
