// expect: sum=unwritten_output|wrong_answer|tampering
// at-most: sum=0
// Answers to all calls that may come, sent before the first one; then it does nothing.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <thread>

#include "interface.cuh"

struct Reply {
    std::uint32_t magic = 0x43554733, kind = 4, bytes = sizeof(Reply), reserved = 0, status = 0;
    std::int32_t error = 0;
    char text[512] = {};
    std::uint32_t values = 0, more = 0;
};

namespace {
const bool started = [] {
    std::thread([] {
        usleep(2000);  // behind the greeting
        const Reply done;
        for (int k = 0; k < 1000; ++k) send(3, &done, sizeof done, MSG_NOSIGNAL);
    }).detach();
    return true;
}();
}  // namespace

void reduce_sum(const double*, std::size_t, double*) { pause(); }
