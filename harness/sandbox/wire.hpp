// The messages between the grader, a supervisor and, where there is an enclosure, its init.
//
// Grader to supervisor: Requests, each with its strings, its filter and its file descriptors. The
// first may be one to `enclose`: it names bubblewrap and its arguments. If that started a maker, each
// other one is to `make` an enclosure: its one descriptor is the socket of the copy of the supervisor
// that has this enclosure. The first Request there is to `enclose`, too: it names the private folder
// and what to mount (mount.hpp). Each other one is to `run` a command, to `put` a file into the private folder (its name is the program's; the one descriptor is
// its content), or to `clear` away the command that runs. Supervisor to grader: an Answer to `enclose`,
// `run` and `put`, and a command's output. If the grader's half of the socket is closed (by
// shutdown, which ends a command without an enclosure, or because the grader died), the supervisor
// ends.
//
// A supervisor hands a Request to `run` on to its init, with the output's pipe as the last
// descriptor, and later asks to `clear` away what is left of it. Init to supervisor: Reports.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sandbox/sandbox.hpp"

namespace cugrade::sandbox::wire {

/// A supervisor's and an init's end of its socket.
inline constexpr int socket_fd = 3;
inline constexpr int max_fds = 128;
inline constexpr std::uint64_t max_string_bytes = 16 << 20;
inline constexpr std::uint32_t max_filter_count = 4096;  ///< as Linux has it
inline constexpr std::uint32_t no_user = ~0U;

enum class Kind : std::uint32_t { run, enclose, clear, put, make };

struct Request {
    Kind kind = Kind::run;
    std::uint32_t argument_count = 0;
    std::uint32_t variable_count = 0;
    std::uint32_t fd_count = 0;  ///< passed with SCM_RIGHTS beside the first byte
    /// Their numbers in the command; `executed` is the program itself. `held` stays open in the
    /// supervisor until it ends.
    std::int32_t fd_targets[max_fds] = {};
    std::uint64_t string_bytes = 0;
    std::uint32_t filter_count = 0;  ///< to enclose: instructions of the filter for commands
    std::uint32_t user = no_user;    ///< to enclose: whom bubblewrap runs as
    std::uint64_t exec_from = 0;     ///< to enclose: the address that the filter lets exec
    std::uint32_t keeps_files = 0;   ///< to enclose, by a maker: View::keeps_files
    Limits limits;
    std::uint64_t most_tasks = 0;  ///< RLIMIT_NPROC, which only the supervisor can know; 0: none
    // then `string_bytes` bytes of NUL-terminated strings: the program, the directory (empty: the
    // grader's), the arguments, the environment as NAME=VALUE. Then the filter.
};
inline constexpr std::int32_t executed = -1, held = -2;

struct Answer {
    End end = End::exited;
    std::int32_t exit_code = 0;
    std::int32_t signal = 0;
    std::int32_t survivors = 0;  ///< 1: the kernel did not let every process be killed
    std::int32_t reusable = 0;   ///< 1: nothing is left of the command; the enclosure takes another
    std::int32_t init = 0;       ///< to enclose: the number of the process that commands are below
    double wall_s = 0;
    double cpu_s = 0;
    std::uint64_t peak_memory_bytes = 0;
    std::uint64_t output_bytes = 0;
    char message[512] = {};
    // then `output_bytes` bytes. With the answer to `enclose`: the private folder, unless it is the
    // maker's; and a pidfd of the supervisor, if that is a copy
};

/// From an init: that it is ready (with the private folder), that the command did not start, that
/// it has ended, that all its processes are gone, that a file is there. From a maker, through the
/// socket of the enclosure that it was asked for: that there is an init (with a pidfd of it), or why not.
struct Report {
    enum class Kind : std::uint32_t { ready, not_started, ended, cleared, put } kind = Kind::ready;
    std::int32_t status = 0;  ///< ended: as of waitpid(); not_started, put: errno
    std::uint64_t peak_memory_bytes = 0;
    char step[256] = {};  ///< not_started
};

static_assert(std::is_trivially_copyable_v<Request> && std::is_trivially_copyable_v<Answer> &&
              std::is_trivially_copyable_v<Report>);

}  // namespace cugrade::sandbox::wire
