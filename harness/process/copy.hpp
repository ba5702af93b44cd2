// A copy of this process that goes on in its place in the program: for processes of one thread that
// are small, whose copies cost a fraction of a program that is executed.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "process/descriptor.hpp"

namespace cugrade::process {

/// What the original gets to know of its copy.
struct Copy {
    pid_t pid = -1;        ///< 0: this is the copy; negative: there is none, and errno says why
    Descriptor reference;  ///< a pidfd; readable once the copy and, if it was the first process of a
                           ///< PID namespace, all others of it have ended
};

/// `namespaces`: CLONE_NEW... that the copy gets new ones of, which takes CAP_SYS_ADMIN. The copy's end
/// is told by SIGCHLD. Precondition: this process has one thread.
[[nodiscard]] Copy copy_this_process(std::uint64_t namespaces = 0);

/// The number by which /proc here knows the process of a pidfd; negative: it is gone.
[[nodiscard]] pid_t number_of(const Descriptor& reference);

/// A pidfd of this process. Not open: the kernel has none.
[[nodiscard]] Descriptor reference_to_this_process();

/// SIGKILL to the process of a pidfd, whatever has its number by now.
void kill(const Descriptor& reference);

}  // namespace cugrade::process
