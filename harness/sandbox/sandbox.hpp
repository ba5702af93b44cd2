// Runs a command that is not trusted under limits, and ends its whole process tree.
//
// Every command runs below a small supervisor process (libexec/cugrade/supervisor) that is a
// child subreaper: whatever the command forks, detaches or daemonises stays its descendant, so
// "kill all descendants until none is left" is complete. The supervisor also ends the tree when
// the grader itself dies. Today: resource limits. The seam for namespaces and seccomp is here.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace cugrade::sandbox {

/// 0 means no limit, except for the output, which is always limited.
struct Limits {
    double wall_s = 10;
    double cpu_s = 10;                      ///< summed over the process tree
    std::uint64_t memory_bytes = 0;         ///< resident, summed over the process tree
    std::uint64_t address_space_bytes = 0;  ///< RLIMIT_AS per process (CUDA programs need none)
    int processes = 64;                     ///< processes and threads of the tree together
    std::uint64_t file_bytes = 64 << 20;    ///< RLIMIT_FSIZE
    std::uint64_t output_bytes = 1 << 20;   ///< stdout and stderr together; reading stops there
};

struct Command {
    std::vector<std::string> argv;         ///< argv[0] is an absolute path or is looked up in PATH
    std::filesystem::path directory = {};  ///< empty: the grader's
    std::map<std::string, std::string> environment =
        {};  ///< the whole environment: nothing is inherited
    /// {fd here, fd in the child}; both sides stay open here until the caller closes them.
    std::vector<std::pair<int, int>> fds = {};
};

enum class End {
    exited,
    signalled,
    wall_limit,
    cpu_limit,
    memory_limit,
    process_limit,
    file_limit,
    output_limit,
    killed,      ///< by Process::kill
    not_started  ///< the command could not be executed: message says why (a harness error)
};

struct Outcome {
    End end = End::exited;
    int exit_code = 0;
    int signal = 0;
    double wall_s = 0;
    double cpu_s = 0;
    std::uint64_t peak_memory_bytes = 0;
    std::string output;  ///< stdout and stderr, interleaved, cut at output_bytes
    std::string message;
};

/// A running command. The destructor kills the tree and waits for it.
class Process {
public:
    virtual ~Process() = default;
    virtual Outcome wait() = 0;
    virtual void kill() = 0;
    [[nodiscard]] virtual bool running() = 0;

    /// Stops every process of the tree, and returns when none of their threads runs any more. The
    /// wall clock of the limits goes on. An Error: the kernel did not stop them in time.
    [[nodiscard]] virtual Status pause() = 0;
    /// False if a process has run since `pause`, woken by a signal that it had arranged.
    [[nodiscard]] virtual bool paused_throughout() = 0;
    /// Until resume(), keeps the processor on which the command itself ran last from sleeping, as
    /// far as the machine allows that, so that the command goes on at once. Precondition: it is
    /// paused.
    virtual void keep_processor_awake() = 0;
    /// Lets the stopped processes go on.
    virtual void resume() = 0;
};

/// `supervisor`: path of the supervisor program.
[[nodiscard]] Result<std::unique_ptr<Process>> start(const std::filesystem::path& supervisor,
                                                     const Command&, const Limits&);
/// Finds a program in a PATH as a shell does. Returns `name` itself if it has a slash or is not
/// found.
[[nodiscard]] std::string find_program(const std::string& name, std::string_view path);
[[nodiscard]] Result<Outcome> run(const std::filesystem::path& supervisor, const Command&,
                                  const Limits&);

}  // namespace cugrade::sandbox
