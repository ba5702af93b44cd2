// The one place that starts processes. Theory of operation:
//
// A Program describes everything that a new process gets: arguments, environment, folder,
// descriptors, process group, limits. It inherits nothing else but the user and the files that this
// user may open. `start` makes a child that goes through the steps of `policy` in process.cpp, in
// order, and then executes the program. A step that fails is told to the parent with its name and
// errno.
//
// Everyone starts through here: the grader its supervisors, emulators and oracles, `cugrade run`
// its program, and a supervisor the untrusted command. So what a process gets is a row of `policy`
// and a field of Program. (Namespaces and a filter of system calls are an enclosure's, and inherited.)
//
// What becomes of a process then (limits of time and of a whole tree, its output) is not this
// room's: harness/sandbox has a supervisor process for that.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "process/descriptor.hpp"

namespace cugrade::process {

/// Which signals from the terminal reach a program.
enum class Group {
    parents,  ///< those that reach this process, too
    own,      ///< none: Ctrl-C is for this process, which then ends the program or lets it finish
    session   ///< none, and it has no terminal
};

/// In the place of a descriptor of this process.
inline constexpr int null_device = -1;  ///< /dev/null
inline constexpr int as_parent = -2;    ///< the one with the same number here

/// RLIMIT_...; a limit that is lower already stays.
struct ResourceLimit {
    int resource = 0;
    rlim_t soft = 0;
    rlim_t hard = 0;
};

/// Signals are always as a fresh program has them: none blocked, none ignored, none handled.
struct Program {
    std::string path;                      ///< what is executed: no search in PATH
    /// If not negative: the open file that is executed. Then `path` only names it in messages.
    int file = -1;
    std::vector<std::string> arguments;    ///< with the program's own name, which comes first
    std::vector<std::string> environment;  ///< NAME=VALUE; the whole: nothing is inherited
    std::string directory = {};            ///< empty: as here
    int input = null_device;               ///< a descriptor here, null_device or as_parent
    int output = null_device;              ///< the same
    int errors = as_parent;                ///< the same
    /// {descriptor here, its number there}; both sides stay open here.
    std::vector<std::pair<int, int>> descriptors = {};
    /// Also has, at their numbers, the others of this process that are not close-on-exec. Only for
    /// a program that the user has asked for: a shell gives it descriptors, too.
    bool inherits_descriptors = false;
    Group group = Group::parents;
    /// SIGKILL when the *thread* that starts it ends: for processes of one thread only. From
    /// others, give it a socket and let it end at end-of-file.
    bool ends_with_thread = false;
    bool gains_no_privileges = false;  ///< set-user-ID programs run as this user
    /// Runs it as this user and the group of the same number, without other groups. Only root can.
    std::optional<uid_t> user = {};
    /// Where the child puts the string that it gives exec first (its path; "" for a `file`). A filter
    /// can so tell this one exec from later ones: whoever does not know the address cannot call it.
    char* exec_from = nullptr;
    std::vector<ResourceLimit> limits = {};
};

/// This process's environment, for Program::environment.
[[nodiscard]] std::vector<std::string> own_environment();

/// Why a program was not started.
struct Failure {
    std::string step;  ///< what the new process could not do: "run", "set the resource limits"
    int number = 0;    ///< errno
    /// "No such file or directory"; with the step, if that is any other than to run it.
    [[nodiscard]] std::string text() const;
};

/// How a process ended.
struct Ended {
    int exit_code = 0;
    int signal = 0;  ///< that ended it; 0: it exited
    [[nodiscard]] bool succeeded() const { return exit_code == 0 && signal == 0; }
    bool operator==(const Ended&) const = default;
};
/// Of a status as waitpid() gives it.
[[nodiscard]] Ended how_ended(int wait_status);

/// A process that was started here. The destructor kills it and waits for it, not for its children.
class Child {
public:
    explicit Child(pid_t pid) : pid_(pid) {}
    Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), ended_(other.ended_) {}
    Child& operator=(Child&&) = delete;
    ~Child();

    /// Also after it has ended; its number may belong to another process then.
    [[nodiscard]] pid_t pid() const { return pid_; }
    /// Waits for its end.
    Ended wait();
    /// Waits for its end, but no longer than this.
    std::optional<Ended> wait_for(std::chrono::milliseconds);
    /// For a caller that waits for all its children itself: this object forgets the process.
    [[nodiscard]] pid_t release() { return std::exchange(pid_, -1); }
    /// SIGKILL, if it has not been waited for. Does not wait.
    void kill();

private:
    bool reap(int options);
    pid_t pid_;
    std::optional<Ended> ended_;
};

/// Starts a program; returns once it is executed. Nothing: see `why`.
[[nodiscard]] std::optional<Child> start(const Program&, Failure& why);

/// A file in memory, for what a process reads or writes. Not open: errno says why.
[[nodiscard]] Descriptor memory_file(const char* name);
/// All that is in such a file, wherever its reader or writer is.
[[nodiscard]] std::string text_of(const Descriptor& file);

}  // namespace cugrade::process
