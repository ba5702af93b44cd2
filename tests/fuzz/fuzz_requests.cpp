// Whatever a runner sends to the emulated GPU is served, refused with a reason, or ends the
// connection. The input is what arrives on the socket, request after request.
#include <fmt/format.h>

#include <new>

#include "emulator/server/device.hpp"
#include "input.hpp"

namespace {

using namespace cugrade;
using emulator::protocol::RunnerRequest;

constexpr std::uint32_t most_payload = 1 << 20;

emulator::protocol::ConfigureRecord configuration() {
    emulator::protocol::ConfigureRecord c;
    c.device = {.arch = 75,
                .multiprocessors = 2,
                .resident_blocks = 2,
                .max_shared_per_block = 49152,
                .max_shared_per_block_optin = 65536,
                .resident_threads = 0,
                .memory_bytes = 4 << 20};
    c.warp_instruction_budget = 3000;
    return c;
}

/// Takes the answer off the other end, so that there is room for the next.
void drain(int socket) {
    static char nothing[1 << 16];
    while (recv(socket, nothing, sizeof nothing, MSG_DONTWAIT) > 0) continue;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    int ends[2];
    fuzz::require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    const process::Descriptor runner(ends[1]);
    emulator::Connection connection(ends[0], most_payload);
    emulator::Device device(configuration());
    // A buffer of the grader's, and whoever watches.
    (void)device.serve_grader(
        {.kind = static_cast<std::uint32_t>(emulator::protocol::GraderRequest::allocate),
         .bytes = 4096},
        std::as_bytes(std::span("in")));
    (void)device.serve_grader(
        {.kind = static_cast<std::uint32_t>(emulator::protocol::GraderRequest::observe),
         .value = size % 16},
        {});
    (void)!send(runner.get(), data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(runner.get(), SHUT_WR);
    int served = 0;
    while (connection.receive() == emulator::Connection::Progress::request && ++served < 64) {
        auto answer = device.serve_runner(connection.request(), connection.payload());
        fuzz::require(
            answer.head.error == 0 ||
            (!answer.payload.empty() && answer.payload.size() <= emulator::protocol::max_text));
        connection.answer(std::move(answer));
        while (connection.sending() && connection.send()) drain(runner.get());
        drain(runner.get());
    }
    using emulator::protocol::GraderRequest;
    for (const GraderRequest kind : {GraderRequest::state, GraderRequest::reset})
        (void)device.serve_grader({.kind = static_cast<std::uint32_t>(kind)}, {});
    return 0;
}
