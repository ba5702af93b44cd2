// The messages between the grader and a supervisor: one Request, its strings and file descriptors
// one way, one Answer and the output the other way. If the grader's half of the socket is closed
// (by shutdown, or because the grader died), the supervisor ends the tree.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sandbox/sandbox.hpp"

namespace cugrade::sandbox::wire {

/// The supervisor's end of the socket.
inline constexpr int socket_fd = 3;
inline constexpr int max_fds = 16;

struct Request {
    Limits limits;
    std::uint32_t argument_count = 0;
    std::uint32_t variable_count = 0;
    std::uint32_t fd_count = 0;             ///< passed with SCM_RIGHTS beside the first byte
    std::int32_t fd_targets[max_fds] = {};  ///< their numbers in the command
    std::uint64_t string_bytes = 0;
    // then `string_bytes` bytes of NUL-terminated strings: the program, the directory (empty: the
    // grader's), the arguments, the environment as NAME=VALUE
};

struct Answer {
    End end = End::exited;
    std::int32_t exit_code = 0;
    std::int32_t signal = 0;
    std::int32_t survivors = 0;  ///< 1: the kernel did not let every process be killed
    double wall_s = 0;
    double cpu_s = 0;
    std::uint64_t peak_memory_bytes = 0;
    std::uint64_t output_bytes = 0;
    char message[256] = {};
    // then `output_bytes` bytes
};

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Answer>);

}  // namespace cugrade::sandbox::wire
