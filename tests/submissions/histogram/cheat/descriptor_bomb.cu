// expect: bytes=accepted
// at-most: bytes.performance=0
// Takes every descriptor that it gets, and fills pairs of sockets and pipes with what nobody reads: the kernel's memory
// is in no process. Throws if that comes to more than 512 MiB.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <vector>

#include "interface.cuh"

namespace {
const std::size_t filled = [] {
    std::vector<int> all;
    const std::vector<char> piece(64 << 10);
    std::size_t bytes = 0;
    int ends[2];
    const auto fill = [&](int fd) {
        for (;;) {
            const ssize_t n = write(fd, piece.data(), piece.size());
            if (n <= 0) break;
            bytes += static_cast<std::size_t>(n);
        }
    };
    while (bytes < std::size_t{1} << 30 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0) {
        all.insert(all.end(), ends, ends + 2);
        fill(ends[0]);
        fill(ends[1]);
    }
    while (bytes < std::size_t{1} << 30 && pipe2(ends, O_NONBLOCK) == 0) {
        all.insert(all.end(), ends, ends + 2);
        fill(ends[1]);
    }
    for (const int fd : all) close(fd);
    return bytes;
}();
}  // namespace

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    if (filled > std::size_t{512} << 20) throw std::runtime_error("the kernel's memory");
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n > 0) count<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, bins);
}
