// expect: map=tampering
// at-most: map=0
// An answer that ends in its header, and one that ends before its last field.
#include <sys/socket.h>

#include <cstdint>

#include "interface.cuh"

struct Reply {
    std::uint32_t magic = 0x43554733, kind = 4, bytes = sizeof(Reply), reserved = 0, status = 0;
    std::int32_t error = 0;
    char text[512] = {};
    std::uint32_t values = 0, more = 0;
};

void map_cubic(const float*, std::size_t n, float, float, float, float, float*) {
    const Reply done;
    send(3, &done, n % 2 ? 5 : sizeof done - 8, MSG_NOSIGNAL);
}
