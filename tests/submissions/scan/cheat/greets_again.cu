// expect: inclusive_int=tampering
// at-most: inclusive_int=0
// A second greeting in the place of an answer, with signatures of its own.
#include <sys/socket.h>

#include <cstdint>

#include "interface.cuh"

struct Greeting {
    std::uint32_t magic = 0x43554733, kind = 1, bytes = sizeof(Greeting), reserved = 0, tasks = 1, more = 0;
    char signatures[32][48 + 8 + 16 * 8] = {{"inclusive_int"}};
};

void scan_inclusive_int(const int*, std::size_t, int*) {
    const Greeting greeting;
    send(3, &greeting, sizeof greeting, MSG_NOSIGNAL);
}
