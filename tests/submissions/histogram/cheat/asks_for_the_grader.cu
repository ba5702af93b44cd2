// expect: bytes=accepted
// at-most: bytes.performance=0
// Makes the grader's own requests on the emulator's socket, found by its type among all descriptors: new observers,
// another seed, a reset, the observations, the grader's buffers freed. Throws if one is granted.
#include <sys/socket.h>

#include <cstdint>
#include <stdexcept>

#include "interface.cuh"

namespace {
void ask(const void* buffer) {
    int found = -1;
    for (int fd = 0; fd < 1024; ++fd) {
        int type = 0;
        socklen_t size = sizeof type;
        if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM) found = fd;
    }
    if (found < 0) return;
    for (std::uint32_t kind = 0x1000; kind < 0x1011; ++kind) {
        struct { std::uint32_t magic, kind, payload, module; std::uint64_t address, other, bytes, value; } request{
            0x43454D34, kind == 0x1010 ? 7 : kind, 0, 0, reinterpret_cast<std::uint64_t>(buffer), 0, 1, 0};
        struct { std::uint32_t magic, error, payload, reserved; std::uint64_t value, value2; } reply{};
        send(found, &request, sizeof request, MSG_NOSIGNAL);
        recv(found, &reply, sizeof reply, MSG_WAITALL);
        char text[4096];
        if (reply.payload > 0 && reply.payload <= sizeof text) recv(found, text, reply.payload, MSG_WAITALL);
        if (reply.error == 0) throw std::runtime_error("a request of the grader's was granted");
    }
}
}  // namespace

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    ask(in);
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n > 0) count<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, bins);
}
