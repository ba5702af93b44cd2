// Which system calls a command in an enclosure may make: a list of what is allowed, with reasons.
//
// Theory of operation. libseccomp turns the list into a filter (classic BPF) that the kernel runs
// before each system call of the command and of all that it starts. A call that is not listed fails
// with ENOSYS, as on a kernel that does not have it: libraries then do without. So new calls of new
// kernels are out until somebody has thought about them.
//
// Left out on purpose, among others: ptrace, process_vm_*, pidfd_*, kcmp (other processes); keyctl
// (keys outlive processes); io_uring (makes system calls past the filter); userfaultfd, bpf,
// perf_event_open (the kernel's largest surfaces); unshare, setns, mount and all about namespaces;
// shm*, msg*, sem*, mq_* and, for a submission, memfd_create (memory that no limit counts); socket
// (also vsock).
//
// A submission's program and an emulated GPU execute nothing. The exec that starts them comes after
// the filter is set, so the filter lets one exec through: the one whose path is at a certain
// address. That address is random, and different in each grader. Nothing in the enclosure tells it.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "sandbox/view.hpp"

namespace cugrade::sandbox {

struct Filter {
    std::vector<sock_filter> instructions;
    std::uint64_t exec_from = 0;  ///< the address of the path that may be executed
};

/// The filter for one list: made once, then the same. Errors: libseccomp cannot make it.
[[nodiscard]] const Result<Filter>& filter_for(Calls);

/// The names of all system calls in a list, for tests.
[[nodiscard]] std::vector<std::string_view> allowed_calls(Calls);
/// Whether some architecture has a system call of this name.
[[nodiscard]] bool is_system_call(std::string_view name);

}  // namespace cugrade::sandbox
