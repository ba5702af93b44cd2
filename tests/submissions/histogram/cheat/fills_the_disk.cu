// expect: bytes=accepted
// at-most: bytes.performance=0
// Fills its private folder and whatever else can be written. Throws if that comes to more than 256 MiB.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "interface.cuh"

namespace {
void fill() {
    signal(SIGXFSZ, SIG_IGN);
    const std::vector<char> piece(1 << 20, 'x');
    std::size_t bytes = 0;
    for (const std::string folder : {"/tmp", "/dev/shm", "/var/tmp", "/run", "/", "/dev", "."})
        for (int file = 0; file < 20; ++file) {
            const int fd = open((folder + "/fill-" + std::to_string(file)).c_str(), O_CREAT | O_WRONLY, 0600);
            if (fd < 0) break;
            for (ssize_t n = 1; n > 0 && bytes < std::size_t{512} << 20;) {
                n = write(fd, piece.data(), piece.size());
                if (n > 0) bytes += static_cast<std::size_t>(n);
            }
            close(fd);
        }
    if (bytes > std::size_t{256} << 20) throw std::runtime_error("the disk");
}
}  // namespace

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    static int calls = 0;
    if (calls++ == 0) fill();
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n > 0) count<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, bins);
}
