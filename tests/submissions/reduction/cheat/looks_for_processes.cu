// expect: sum=accepted
// at-most: sum.performance=0
// Throws if there is any process to see, trace or signal but its own.
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <stdexcept>

#include "interface.cuh"

void look() {
    for (int signal = 1; signal < 65; ++signal)
        if (signal != SIGCHLD && signal != 32 && signal != 33) kill(1, signal);
    for (pid_t pid = 1; pid < 5000; ++pid)
        if (pid != 1 && pid != getpid() && kill(pid, 0) == 0)
            throw std::runtime_error("another process");
    char byte = 0;
    iovec here{&byte, 1}, there{&byte, 1};
    if (ptrace(PTRACE_ATTACH, 1, nullptr, nullptr) == 0 ||
        syscall(SYS_process_vm_readv, 1, &here, 1, &there, 1, 0) >= 0 ||
        syscall(SYS_pidfd_open, 1, 0) >= 0 || syscall(SYS_kcmp, 1, 1, 0, 0, 0) >= 0)
        throw std::runtime_error("process 1 can be read");
}

__global__ void add(const double* in, std::size_t n, double* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    look();
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) add<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}
