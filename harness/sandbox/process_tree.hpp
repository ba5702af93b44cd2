// The processes below one, as /proc shows them: for the supervisor, which watches and ends them,
// and for the grader, which makes them pause.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace cugrade::sandbox {

inline std::size_t read_file(const char* path, char* buffer, std::size_t size) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t got = 0;
    while ((got = read(fd, buffer, size - 1)) < 0 && errno == EINTR) {
    }
    close(fd);
    const auto length = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    buffer[length] = '\0';
    return length;
}

/// The state of a process, or of one of its threads.
struct ProcessState {
    pid_t parent = 0;
    char state = '?';
    double cpu_s = 0;
    long threads = 0;
    std::uint64_t resident = 0;
    int processor = 0;  ///< where it ran last
};

/// `stat`: /proc/PID/stat or /proc/PID/task/TID/stat.
inline bool read_state(const char* stat, ProcessState& out) {
    static const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    char text[1024];
    if (read_file(stat, text, sizeof text) == 0) return false;
    const char* rest = std::strrchr(text, ')');  // the name before it may hold anything
    if (rest == nullptr) return false;
    unsigned long user = 0, system = 0;
    long child_user = 0, child_system = 0, resident = 0;
    int parent = 0;
    if (std::sscanf(
            rest + 1,
            " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld %*d %*d %ld %*d %*u "
            "%*u %ld %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %d",
            &out.state, &parent, &user, &system, &child_user, &child_system, &out.threads,
            &resident, &out.processor) < 8)  // all but the processor
        return false;
    out.parent = parent;
    out.cpu_s =
        static_cast<double>(user + system + static_cast<unsigned long>(child_user + child_system)) /
        ticks;
    out.resident = static_cast<std::uint64_t>(std::max(resident, 0L)) * page;
    return true;
}

inline bool read_state(pid_t pid, ProcessState& out) {
    char stat[64];
    std::snprintf(stat, sizeof stat, "/proc/%d/stat", pid);
    return read_state(stat, out);
}

/// Appends the numbers in a file. A supervisor reads one per thread every few milliseconds, so it is
/// read without a stream; a fork bomb's can be long, and a number may lie across two pieces.
inline void add_children(const char* path, std::vector<pid_t>& out) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    char piece[4096];
    pid_t number = 0;
    for (ssize_t got = 0; (got = read(fd, piece, sizeof piece)) > 0 || (got < 0 && errno == EINTR);)
        for (const char c : std::string_view(piece, static_cast<std::size_t>(std::max<ssize_t>(got, 0)))) {
            if (c >= '0' && c <= '9') {
                number = 10 * number + (c - '0');
                continue;
            }
            if (number > 0) out.push_back(number);
            number = 0;
        }
    if (number > 0) out.push_back(number);
    close(fd);
}

template <class F>
void for_each_number(const char* directory, F&& f) {
    DIR* dir = opendir(directory);
    if (dir == nullptr) return;
    while (const dirent* entry = readdir(dir)) {
        const int number = std::atoi(entry->d_name);
        if (number > 0) f(number);
    }
    closedir(dir);
}

/// Appends the children of `parent`. A child belongs to the thread that forked it.
inline void list_children(pid_t parent, std::vector<pid_t>& out) {
    const std::string task = "/proc/" + std::to_string(parent) + "/task";
    for_each_number(task.c_str(), [&](pid_t thread) {
        add_children((task + "/" + std::to_string(thread) + "/children").c_str(), out);
    });
}

/// The same for kernels without CONFIG_PROC_CHILDREN: asks all processes for their parent.
inline void list_children_by_parent(pid_t parent, std::vector<pid_t>& out) {
    for_each_number("/proc", [&](pid_t pid) {
        ProcessState state;
        if (read_state(pid, state) && state.parent == parent) out.push_back(pid);
    });
}

/// The state of a process's threads.
struct ThreadsState {
    bool halted = true;            ///< each thread is stopped or dead, or waits for a child that is
    bool dead = true;              ///< each thread is dead, or the process is gone
    bool uninterruptible = false;  ///< a thread is in a system call that no signal ends
    bool settled = true;           ///< all are off their processors: if halted, too, `ran` is final
    std::uint64_t ran = 0;         ///< ns on processors, summed; 0 if the kernel does not tell
};

inline ThreadsState read_threads(pid_t pid) {
    ThreadsState out;
    const std::string task = "/proc/" + std::to_string(pid) + "/task";
    for_each_number(task.c_str(), [&](pid_t thread) {
        const std::string folder = task + "/" + std::to_string(thread);
        ProcessState state;
        if (!read_state((folder + "/stat").c_str(), state)) return;
        const bool dead = std::strchr("ZX", state.state) != nullptr;
        if (dead && thread != pid) return;  // gone any moment, and its time with it
        out.dead = out.dead && dead;
        // The kernel calls a thread stopped some time before the thread leaves its processor. A
        // read of this file waits until it has left, and then gives its system call, or "running".
        char text[1024];
        const bool off =
            read_file((folder + "/syscall").c_str(), text, sizeof text) > 0 && text[0] != 'r';
        const long call = off ? std::strtol(text, nullptr, 10) : -1;
        bool forks = call == SYS_clone || call == SYS_clone3;
#ifdef SYS_vfork
        forks = forks || call == SYS_vfork;
#endif
        const bool waits_for_child =  // until the child has its own memory; the child does not run
            state.state == 'D' && forks &&
            read_file((folder + "/children").c_str(), text, sizeof text) > 0;
        const bool halted = dead || waits_for_child || std::strchr("Tt", state.state) != nullptr;
        out.halted = out.halted && halted;
        out.settled = out.settled && off;
        out.uninterruptible = out.uninterruptible || (state.state == 'D' && !waits_for_child);
        if (read_file((folder + "/schedstat").c_str(), text, sizeof text) > 0)
            out.ran += std::strtoull(text, nullptr, 10);
    });
    return out;
}

/// Calls visit(pid) for every descendant of `root`, always before that process's children are
/// listed, until it returns false.
template <class F>
void for_each_descendant(pid_t root, F&& visit) {
    static const bool has_children_files =
        access(("/proc/self/task/" + std::to_string(getpid()) + "/children").c_str(), R_OK) == 0;
    const auto list = has_children_files ? list_children : list_children_by_parent;
    std::vector<pid_t> found;
    list(root, found);
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (!visit(found[i])) return;
        list(found[i], found);
    }
}

}  // namespace cugrade::sandbox
