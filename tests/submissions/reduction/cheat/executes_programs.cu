// expect: sum=accepted
// at-most: sum.performance=0
// Throws if it can execute a program: one of the system's, or one of its own making.
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "interface.cuh"

void look() {
    char name[] = "/lib64/ld-linux-x86-64.so.2";
    char* arguments[] = {name, nullptr};
    pid_t pid = 0;
    for (const char* path :
         {"/bin/sh", "/usr/bin/nvcc", "/sandbox-init", "/proc/self/exe", "/lib64/ld-linux-x86-64.so.2"})
        if (posix_spawn(&pid, path, nullptr, nullptr, arguments, nullptr) == 0)
            throw std::runtime_error(path);
    if (std::system("true") == 0) throw std::runtime_error("a shell");
    if (syscall(SYS_memfd_create, "program", 0) >= 0) throw std::runtime_error("a file in memory");
    const int made = open("/tmp/program", O_RDWR | O_CREAT, 0700);
    if (made >= 0 && syscall(SYS_execveat, made, "", arguments, nullptr, AT_EMPTY_PATH) == 0)
        throw std::runtime_error("its own program");
    const int loader = open(name, O_RDONLY);
    if (fork() == 0) {
        syscall(SYS_execveat, loader, "", arguments, nullptr, AT_EMPTY_PATH);
        _exit(77);
    }
    int status = 0;
    if (wait(&status) > 0 && WEXITSTATUS(status) != 77) throw std::runtime_error("the loader");
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
