// expect: sum=unwritten_output|crash|tampering
// at-most: sum=0
// Starts where a program starts, before its main, and plays the runner: a greeting that is in order, and success for
// every call.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "interface.cuh"

namespace {
struct Signature {
    char task[48];
    std::uint32_t arguments, defined;
    char types[16][8];
};
struct Greeting {
    std::uint32_t magic = 0x43554733, kind = 1, bytes = sizeof(Greeting), reserved = 0, tasks = 1, more = 0;
    Signature signatures[32] = {{"sum", 3, 1, {"pf64", "su64", "Pf64"}}};
};
struct Reply {
    std::uint32_t magic = 0x43554733, kind = 4, bytes = sizeof(Reply), reserved = 0, status = 0;
    std::int32_t error = 0;
    char text[512] = {};
    std::uint32_t values = 0, more = 0;
};

}  // namespace

extern "C" int __libc_start_main(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*) {
    const Greeting greeting;
    send(3, &greeting, sizeof greeting, MSG_NOSIGNAL);
    static char request[1 << 18];
    while (recv(3, request, sizeof request, 0) > 0) {
        const Reply done;
        send(3, &done, sizeof done, MSG_NOSIGNAL);
    }
    _exit(0);
}

void reduce_sum(const double*, std::size_t, double*) {}
