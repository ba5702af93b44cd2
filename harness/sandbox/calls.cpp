#include "sandbox/calls.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <random>
#include <span>

#include "process/process.hpp"

namespace cugrade::sandbox {
namespace {

// ---- The lists -------------------------------------------------------------------------------

struct Group {
    const char* reason;
    std::vector<const char*> calls;
};

const std::vector<Group>& for_all() {
    static const std::vector<Group> groups{
        {"reads and writes what is open",
         {"read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2",
          "pwritev2", "lseek", "close", "close_range", "dup", "dup2", "dup3", "fcntl", "pipe",
          "pipe2", "sendfile", "copy_file_range", "splice", "fsync", "fdatasync", "ftruncate",
          "fallocate", "fadvise64", "flock"}},
        {"opens files: only what the view shows is there",
         {"open", "openat", "creat", "access", "faccessat", "faccessat2", "stat", "lstat", "fstat",
          "newfstatat", "statx", "statfs", "fstatfs", "readlink", "readlinkat", "getdents",
          "getdents64", "getcwd", "chdir", "fchdir", "umask", "truncate"}},
        {"changes files: only the private folder can be written",
         {"mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat", "renameat2",
          "link", "linkat", "symlink", "symlinkat", "chmod", "fchmod", "fchmodat", "utime",
          "utimes", "utimensat", "futimesat"}},
        {"manages its own memory",
         {"mmap", "munmap", "mprotect", "mremap", "madvise", "brk", "msync", "mincore", "mlock",
          "mlock2", "munlock", "membarrier"}},
        {"waits",
         {"poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl",
          "epoll_wait", "epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2", "timerfd_create",
          "timerfd_settime", "timerfd_gettime", "nanosleep", "clock_nanosleep", "pause", "alarm",
          "setitimer", "getitimer", "timer_create", "timer_settime", "timer_gettime",
          "timer_delete", "timer_getoverrun", "restart_syscall"}},
        {"tells the time", {"clock_gettime", "clock_getres", "gettimeofday", "time", "times"}},
        {"has threads and children, as many as the limits allow",
         {"fork", "vfork", "wait4", "waitid", "exit", "exit_group", "futex", "futex_waitv",
          "set_tid_address", "set_robust_list", "get_robust_list", "rseq", "arch_prctl",
          "sched_yield", "sched_getaffinity", "sched_setaffinity", "sched_getparam",
          "sched_getscheduler", "sched_get_priority_max", "sched_get_priority_min", "getcpu",
          "setsid", "setpgid"}},
        {"signals: no process outside the enclosure has a number in it",
         {"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait",
          "rt_sigsuspend", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "sigaltstack", "kill", "tkill",
          "tgkill", "signalfd", "signalfd4"}},
        {"asks about itself and the machine",
         {"getpid", "gettid", "getppid", "getpgrp", "getpgid", "getsid", "getuid", "geteuid",
          "getgid", "getegid", "getresuid", "getresgid", "getgroups", "getrlimit", "setrlimit",
          "getrusage", "sysinfo", "uname", "getpriority", "setpriority", "getrandom", "capget",
          "ioprio_get"}},
        {"speaks through the sockets that it was given, and pairs of its own",
         {"sendmsg", "recvmsg", "sendto", "recvfrom", "sendmmsg", "recvmmsg", "shutdown",
          "getsockopt", "setsockopt", "getsockname", "getpeername"}},
    };
    return groups;
}

/// Beyond for_all().
const std::vector<Group>& only_for(Calls which) {
    static const std::vector<Group> none;
    static const std::vector<Group> driver{
        {"what a GPU's driver library does with its device nodes and with memory near a processor",
         {"ioctl", "memfd_create", "get_mempolicy", "set_mempolicy", "mbind", "mlockall",
          "munlockall", "sched_setscheduler", "sched_setparam"}},
        {"and with sockets, which lead nowhere from its own network and its own files",
         {"socket", "bind", "listen", "accept", "accept4", "connect"}}};
    static const std::vector<Group> tools{
        {"a compiler's driver executes the compiler", {"execve", "execveat"}},
        {"make temporary files as they please", {"chown", "fchown", "lchown", "fchownat"}}};
    static const std::vector<Group> emulator{
        {"memory that host code and kernels share; the device's size limits it", {"memfd_create"}}};
    if (which == Calls::gpu_runner) return driver;
    if (which == Calls::emulator) return emulator;
    return which == Calls::compiler ? tools : none;
}

// ---- libseccomp ------------------------------------------------------------------------------

struct Release {
    void operator()(void* context) const { seccomp_release(context); }
};
using Context = std::unique_ptr<void, Release>;

/// A rule with conditions. Several rules of one call are alternatives.
struct Conditional {
    const char* call;
    std::vector<scmp_arg_cmp> conditions;
};

std::vector<Conditional> conditional_rules(Calls which, std::uint64_t exec_from) {
    std::vector<Conditional> out;
    constexpr std::uint64_t namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                         CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                         CLONE_NEWNET | 0x80 /* CLONE_NEWTIME */;
    // Threads and children, but no namespaces. clone3 has its flags in memory, which a filter cannot
    // read, so it is not listed; the C library then uses clone.
    out.push_back({"clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, namespaces, 0)}});
    out.push_back({"socketpair", {SCMP_A0(SCMP_CMP_EQ, AF_UNIX)}});
    out.push_back({"prlimit64", {SCMP_A0(SCMP_CMP_EQ, 0)}});  // its own
    if (which != Calls::gpu_runner)
        for (const std::uint64_t request : {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX})
            out.push_back({"ioctl", {SCMP_A1(SCMP_CMP_EQ, request)}});
    std::vector<std::uint64_t> options{PR_SET_NAME,     PR_GET_NAME,         PR_SET_PDEATHSIG,
                                       PR_GET_DUMPABLE, PR_SET_NO_NEW_PRIVS, PR_CAPBSET_READ,
                                       PR_SET_VMA,      PR_GET_PDEATHSIG,    PR_GET_SECCOMP};
    // A submission's process stays readable for the grader: how long it ran shows whether a pause
    // was kept (sandbox.cpp).
    if (which == Calls::emulator || which == Calls::compiler) options.push_back(PR_SET_DUMPABLE);
    for (const std::uint64_t option : options)
        out.push_back({"prctl", {SCMP_A0(SCMP_CMP_EQ, option)}});
    if (which != Calls::compiler) {
        out.push_back({"execve", {SCMP_A0(SCMP_CMP_EQ, exec_from)}});
        out.push_back({"execveat", {SCMP_A1(SCMP_CMP_EQ, exec_from)}});
    }
    return out;
}

/// A random address that no program uses by itself: below where Linux puts programs and their
/// libraries, above what is fixed, and anywhere in its page.
std::uint64_t random_address() {
    constexpr std::uint64_t from = 0x2000'0000'0000, to = 0x5000'0000'0000;
    std::random_device random;
    return std::uniform_int_distribution<std::uint64_t>(from, to)(random);
}

Error cannot_make(const char* what, int error) {
    return Error{.message = std::string("the filter of system calls cannot be made: ") + what +
                            ": " + std::strerror(-error),
                 .remedy = "see whether this machine's libseccomp is whole"};
}

Result<Filter> make(Calls which) {
    Filter out{.instructions = {}, .exec_from = random_address()};
    const Context context(seccomp_init(SCMP_ACT_ERRNO(ENOSYS)));
    if (!context) return cannot_make("seccomp_init", -ENOMEM);
    // A binary search instead of a chain of comparisons. (Older libraries only know the chain.)
    (void)seccomp_attr_set(context.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
    for (const auto& groups : {for_all(), only_for(which)})
        for (const Group& group : groups)
            for (const char* name : group.calls) {
                const int number = seccomp_syscall_resolve_name(name);
                if (number < 0) continue;  // another architecture's
                if (const int e = seccomp_rule_add(context.get(), SCMP_ACT_ALLOW, number, 0); e != 0)
                    return cannot_make(name, e);
            }
    for (const Conditional& rule : conditional_rules(which, out.exec_from)) {
        const int number = seccomp_syscall_resolve_name(rule.call);
        if (number < 0) continue;
        const int e = seccomp_rule_add_array(context.get(), SCMP_ACT_ALLOW, number,
                                             static_cast<unsigned>(rule.conditions.size()),
                                             rule.conditions.data());
        if (e != 0) return cannot_make(rule.call, e);
    }
    const process::Descriptor file = process::memory_file("filter");
    if (const int e = seccomp_export_bpf(context.get(), file.get()); e != 0)
        return cannot_make("seccomp_export_bpf", e);
    const std::string bytes = process::text_of(file);
    out.instructions.resize(bytes.size() / sizeof(sock_filter));
    std::memcpy(out.instructions.data(), bytes.data(), out.instructions.size() * sizeof(sock_filter));
    return out;
}

}  // namespace

const Result<Filter>& filter_for(Calls which) {
    const auto made_once = []<Calls list>() -> const Result<Filter>& {
        static const Result<Filter> made = make(list);
        return made;
    };
    switch (which) {
        case Calls::runner: break;
        case Calls::gpu_runner: return made_once.operator()<Calls::gpu_runner>();
        case Calls::emulator: return made_once.operator()<Calls::emulator>();
        case Calls::compiler: return made_once.operator()<Calls::compiler>();
    }
    return made_once.operator()<Calls::runner>();
}

std::vector<std::string_view> allowed_calls(Calls which) {
    std::vector<std::string_view> out;
    for (const auto& groups : {for_all(), only_for(which)})
        for (const Group& group : groups) out.insert(out.end(), group.calls.begin(), group.calls.end());
    for (const Conditional& rule : conditional_rules(which, 0)) out.emplace_back(rule.call);
    return out;
}

bool is_system_call(std::string_view name) {
    return seccomp_syscall_resolve_name(std::string(name).c_str()) != __NR_SCMP_ERROR;
}

}  // namespace cugrade::sandbox
