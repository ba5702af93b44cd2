// expect: map=tampering|unwritten_output
// at-most: map=0
// The largest message that the socket takes, and as many of them as it holds.
#include <sys/socket.h>

#include <cstdint>
#include <vector>

#include "interface.cuh"

void map_cubic(const float*, std::size_t, float, float, float, float, float*) {
    for (std::size_t bytes = 64 << 20; bytes >= 4096; bytes /= 2) {
        std::vector<std::uint32_t> message(bytes / 4, 0x41414141);
        message[0] = 0x43554733;
        message[1] = 4;
        message[2] = static_cast<std::uint32_t>(bytes);
        message[134] = static_cast<std::uint32_t>((bytes - 544) / 8);
        for (int k = 0; k < 1000; ++k)
            if (send(3, message.data(), bytes, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) break;
    }
}
