// Runs a command that is not trusted under limits, and ends its whole process tree.
//
// Every command runs below a small supervisor process (libexec/cugrade/supervisor) that is a
// child subreaper: whatever the command forks, detaches or daemonises stays its descendant, so
// "kill all descendants until none is left" is complete. The supervisor also ends the tree when
// the grader itself dies.
//
// A command of a submission runs in an enclosure as well (View): namespaces, an empty root, a filter
// of system calls. One supervisor keeps one enclosure for command after command, so that a start
// costs no more than without. A Keeper holds the enclosures of one submission; commands that come
// from cugrade itself or from the user need none.
//
// One file per mechanism: channel.cpp (one command, from here), supervisor.cpp (limits, the tree of
// processes, from outside of it), enclosure.cpp (namespaces), calls.cpp (system calls), users.cpp
// (users), init.cpp (what starts commands inside).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "process/descriptor.hpp"
#include "sandbox/view.hpp"

namespace cugrade::sandbox {

/// 0 means no limit, except for the output, which is always limited.
struct Limits {
    double wall_s = 10;
    double cpu_s = 10;                      ///< summed over the process tree
    std::uint64_t memory_bytes = 0;         ///< resident, summed over the process tree
    std::uint64_t address_space_bytes = 0;  ///< RLIMIT_AS per process (CUDA programs need none)
    int processes = 64;                     ///< processes and threads of the tree together
    std::uint64_t file_bytes = 64 << 20;    ///< RLIMIT_FSIZE
    std::uint64_t files = 1 << 14;          ///< and folders, in an enclosure's private folder
    std::uint64_t output_bytes = 1 << 20;   ///< stdout and stderr together; reading stops there
};

struct Command {
    std::vector<std::string> argv;         ///< argv[0] is an absolute path or is looked up in PATH
    std::filesystem::path directory = {};  ///< empty: the grader's
    std::map<std::string, std::string> environment =
        {};  ///< the whole environment: nothing is inherited
    /// {fd here, fd in the child}; both sides stay open here until the caller closes them.
    std::vector<std::pair<int, int>> fds = {};
    /// If not negative: the open file that is executed, which the command's view need not have.
    int program = -1;
};

enum class End {
    exited,
    signalled,
    wall_limit,
    cpu_limit,
    memory_limit,
    process_limit,
    file_limit,  ///< of size or number
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

/// Starts a command without an enclosure. `supervisor`: path of the supervisor program.
[[nodiscard]] Result<std::unique_ptr<Process>> start(const std::filesystem::path& supervisor,
                                                     const Command&, const Limits&);
[[nodiscard]] Result<Outcome> run(const std::filesystem::path& supervisor, const Command&,
                                  const Limits&);
/// Finds a program in a PATH as a shell does. Returns `name` itself if it has a slash or is not
/// found.
[[nodiscard]] std::string find_program(const std::string& name, std::string_view path);

/// One enclosure, for one command at a time.
class Enclosure {
public:
    virtual ~Enclosure() = default;  ///< ends what runs in it
    /// Errors: it is not idle. The Process may outlive this object.
    [[nodiscard]] virtual Result<std::unique_ptr<Process>> start(const Command&, const Limits&) = 0;
    /// Copies a file into the private folder, under a relative name. Folders above it are made.
    [[nodiscard]] virtual Status put(const std::filesystem::path& file,
                                     const std::filesystem::path& name) = 0;
    /// Makes a folder there.
    [[nodiscard]] virtual Status make_folder(const std::filesystem::path& name) = 0;
    [[nodiscard]] virtual bool is_idle() const = 0;
    /// It takes no more commands: its supervisor had to end it.
    [[nodiscard]] virtual bool is_over() const = 0;
    /// The private folder. What a command leaves there is not to be trusted: open it with
    /// O_NOFOLLOW, and ask what it is.
    [[nodiscard]] virtual const process::Descriptor& folder() const = 0;
};

/// The enclosures of one submission. Safe between threads.
class Keeper {
public:
    /// `libexec`: the folder of supervisor and sandbox-init. Errors: no enclosure can be made on
    /// this machine (tried until it succeeds once), with the reason; users.hpp has more.
    [[nodiscard]] static Result<std::unique_ptr<Keeper>> make(const std::filesystem::path& libexec);
    virtual ~Keeper() = default;
    /// The user whom the submission's processes run as, and no other's; nobody if that is the
    /// grader's.
    [[nodiscard]] virtual std::optional<uid_t> own_user() const = 0;
    /// A new one, or one that was prepared. Errors: the machine cannot make it, with what to do about
    /// that.
    [[nodiscard]] virtual Result<std::unique_ptr<Enclosure>> enclose(const View&) = 0;
    /// Begins to make as many as are missing for later starts, and does not wait for them. Errors: as
    /// of `enclose`; what fails later is the error of the call that needs it.
    [[nodiscard]] virtual Status prepare(const View&, int count) = 0;
    /// Starts a command in an idle enclosure with this view, or else in one as of `enclose`, which it
    /// keeps.
    [[nodiscard]] virtual Result<std::unique_ptr<Process>> start(const View&, const Command&,
                                                                 const Limits&) = 0;
};

/// Whether submissions run in enclosures.
enum class Isolation { required, if_possible, off };

/// Begins to make the first Keeper of this process in a thread of its own; Keeper::make takes it. For
/// a program that has something else to do before it needs one. It ends what nobody took: before the
/// program does, whose statics the thread uses.
class MadeAhead {
  public:
    explicit MadeAhead(const std::filesystem::path& libexec);
    ~MadeAhead();
    MadeAhead(const MadeAhead&) = delete;
    MadeAhead& operator=(const MadeAhead&) = delete;
};

/// A submission's keeper, as far as it is asked for.
struct Isolated {
    std::unique_ptr<Keeper> keeper;  ///< null: it runs without
    std::string why_not;             ///< one clause, if it was to have one
};
/// Errors: there is none, though required.
[[nodiscard]] Result<Isolated> isolate(const std::filesystem::path& libexec, Isolation);

}  // namespace cugrade::sandbox
