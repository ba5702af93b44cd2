// expect: inclusive_int=tampering
// at-most: inclusive_int=0
// An answer that states three GiB of values, which a grader that believes it would allocate.
#include <sys/socket.h>

#include <cstdint>

#include "interface.cuh"

struct Reply {
    std::uint32_t magic = 0x43554733, kind = 4, bytes = sizeof(Reply), reserved = 0, status = 0;
    std::int32_t error = 0;
    char text[512] = {};
    std::uint32_t values = 0, more = 0;
};

void scan_inclusive_int(const int*, std::size_t, int*) {
    Reply reply;
    reply.values = (3u << 30) / 8;
    send(3, &reply, sizeof reply, MSG_NOSIGNAL);
    reply.bytes = 3u << 30;
    send(3, &reply, sizeof reply, MSG_NOSIGNAL);
}
