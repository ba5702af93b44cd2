// expect: sum=accepted
// at-most: sum.performance=0
// Throws if it can read any file that is not a system library, or list a folder of somebody's.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>

#include "interface.cuh"

void look() {
    for (const char* path :
         {"/etc/passwd", "/etc/shadow", "/etc/hostname", "/proc/1/environ", "/proc/self/maps",
          "/proc/self/environ", "/proc/mounts", "/sys/kernel", "/dev/mem", "/dev/kmsg", "/dev/tty",
          "/dev/shm", "/run", "/var/log", "/root", "/home", "/opt", "/usr/bin", "/usr/local",
          "/usr/share", "/usr/include", "/usr/libexec", "solution.cu", "student.cu", "../student.cu"})
        if (open(path, O_RDONLY) >= 0) throw std::runtime_error(path);
    for (const char* path : {"/new", "/usr/lib/new", "/etc/new", "/dev/new", "new"})
        if (open(path, O_WRONLY | O_CREAT, 0600) >= 0) throw std::runtime_error(path);
    for (int fd = 5; fd < 1024; ++fd)
        if (fcntl(fd, F_GETFD) >= 0) throw std::runtime_error("a descriptor of somebody else's");
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
