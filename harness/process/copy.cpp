#include "process/copy.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cugrade::process {

Copy copy_this_process(std::uint64_t namespaces) {
    Copy out;
    int reference = -1;
    // Not the C library's fork(): it can make no namespaces. What that prepares is for threads and
    // for handlers of pthread_atfork(), which this process has none of.
    const auto flags = static_cast<unsigned long>(namespaces | CLONE_PIDFD | SIGCHLD);
    out.pid = static_cast<pid_t>(syscall(SYS_clone, flags, nullptr, &reference, nullptr, nullptr));
    if (out.pid > 0) out.reference = Descriptor(reference);  // the kernel made it close-on-exec
    return out;
}

pid_t number_of(const Descriptor& reference) {
    char path[64], text[512];
    std::snprintf(path, sizeof path, "/proc/self/fdinfo/%d", reference.get());
    const Descriptor file(open(path, O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) return -1;
    ssize_t got = 0;
    while ((got = read(file.get(), text, sizeof text - 1)) < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    text[got] = '\0';
    const char* line = std::strstr(text, "\nPid:");
    return line == nullptr ? -1 : std::atoi(line + std::strlen("\nPid:"));
}

Descriptor reference_to_this_process() {
    return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
}

void kill(const Descriptor& reference) {
    (void)syscall(SYS_pidfd_send_signal, reference.get(), SIGKILL, nullptr, 0);
}

}  // namespace cugrade::process
