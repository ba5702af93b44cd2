// expect: bytes=accepted
// at-most: bytes.performance=0
// Sends as many descriptors as Linux takes along with requests that are in order, so that whoever receives them runs
// out of descriptors. Counts honestly after that.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "interface.cuh"

namespace {
void send_descriptors() {
    std::uint32_t hello[12] = {0x43454D34, 1};
    alignas(cmsghdr) char space[CMSG_SPACE(253 * sizeof(int))] = {};
    for (int k = 0; k < 50; ++k) {
        iovec part{hello, sizeof hello};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = space;
        message.msg_controllen = sizeof space;
        cmsghdr* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(253 * sizeof(int));
        const int one = 1;
        for (int i = 0; i < 253; ++i) std::memcpy(CMSG_DATA(header) + i * sizeof one, &one, sizeof one);
        if (sendmsg(4, &message, MSG_NOSIGNAL) < 0) return;
        char answer[64];
        recv(4, answer, sizeof answer, MSG_WAITALL);
    }
}
}  // namespace

__global__ void count(const unsigned char* in, std::size_t n, unsigned int* bins) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(bins + in[i], 1u);
}

void histogram_bytes(const unsigned char* in, std::size_t n, unsigned int* bins) {
    send_descriptors();
    cudaMemset(bins, 0, 256 * sizeof *bins);
    if (n > 0) count<<<static_cast<unsigned>((n + 255) / 256), 256>>>(in, n, bins);
}
