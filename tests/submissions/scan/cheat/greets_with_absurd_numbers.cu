// expect: inclusive_int=tampering
// at-most: inclusive_int=0
// A greeting of more tasks and arguments than any message holds.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "interface.cuh"

namespace {
struct Greeting {
    std::uint32_t magic = 0x43554733, kind = 1, bytes = sizeof(Greeting), reserved = 0, tasks = 0xFFFFFFFF, more = 0;
    char signatures[32][48 + 8 + 16 * 8];
};
const bool sent = [] {
    Greeting greeting;
    std::memset(greeting.signatures, 0xFF, sizeof greeting.signatures);
    send(3, &greeting, sizeof greeting, MSG_NOSIGNAL);
    return true;
}();
}  // namespace

void scan_inclusive_int(const int*, std::size_t, int*) {}
