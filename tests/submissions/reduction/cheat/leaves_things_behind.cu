// expect: sum=accepted
// at-most: sum.performance=0
// Throws if anything of an earlier run of its own is still there: files, processes, memory.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <stdexcept>

#include "interface.cuh"

[[gnu::constructor]] void look() {
    struct stat info {};
    if (stat("/tmp/mark", &info) == 0) throw std::runtime_error("a file");
    if (getpid() > 2 && kill(-1, 0) == 0) throw std::runtime_error("a process");
    if (syscall(SYS_shmget, 77, 4096, 0600) >= 0) throw std::runtime_error("shared memory");
    if (syscall(SYS_shmget, 77, 4096, 01600) >= 0) throw std::runtime_error("new shared memory");
    mkdir("/tmp/mark", 0);
    if (fork() == 0) {
        setsid();
        if (fork() != 0) _exit(0);
        for (int signal = 1; signal < 32; ++signal) ::signal(signal, SIG_IGN);
        for (int fd = 0; fd < 64; ++fd) close(fd);
        for (;;) pause();
    }
}

__global__ void add(const double* in, std::size_t n, double* out) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

void reduce_sum(const double* in, std::size_t n, double* out) {
    cudaMemset(out, 0, sizeof *out);
    if (n > 0) add<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, out);
}
