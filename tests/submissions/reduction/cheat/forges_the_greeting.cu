// expect: sum=suspicious
// at-most: sum=0
// A greeting without a task reads like an assignment whose files disagree, which would be the course's fault.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

#include "interface.cuh"

namespace {
struct Greeting {
    std::uint32_t magic = 0x43554733, kind = 1, bytes = 0, reserved = 0, tasks = 0, more = 0;
    char signatures[32][48 + 8 + 16 * 8] = {};
};
const bool sent = [] {
    Greeting greeting;
    greeting.bytes = sizeof greeting;
    if (const char* fd = std::getenv("CUGRADE_CONTROL_FD")) {
        send(std::atoi(fd), &greeting, sizeof greeting, 0);
        sleep(1000);
    }
    return true;
}();
}  // namespace

void reduce_sum(const double*, std::size_t, double*) {}
