// A command as it is sent, and as process::start takes it: for the supervisor and an enclosure's
// init, which link little.
#pragma once

#include <linux/filter.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "process/descriptor.hpp"
#include "process/process.hpp"
#include "sandbox/wire.hpp"

namespace cugrade::sandbox {

/// A Request with all that comes after it. It owns the descriptors.
struct Job {
    wire::Request request;
    std::string strings;
    std::vector<sock_filter> filter;
    std::vector<process::Descriptor> fds;

    /// The program that the strings describe, with the descriptors at their numbers.
    [[nodiscard]] process::Program program() const;
};

/// Receives a whole message. False at end-of-file, and when the bytes make no sense.
[[nodiscard]] bool receive(int socket, Job&);
/// Sends one, with `extra`, if not negative, after its own descriptors, to become `extra_target`.
/// Returns 0 or errno.
[[nodiscard]] int send(int socket, const Job&, int extra = -1, int extra_target = 0);

/// What a supervisor's Answer says of a command, without its output. Nothing: it makes no sense.
[[nodiscard]] std::optional<Outcome> read_outcome(const wire::Answer&);

/// Sends all bytes, and `fds` with the first one. Returns 0 or errno.
[[nodiscard]] int send_all(int socket, const void* bytes, std::size_t size,
                           std::span<const int> fds = {});
/// False at end-of-file and on an error. Descriptors that come along are added to `fds`.
[[nodiscard]] bool receive_all(int socket, void* to, std::size_t size,
                               std::vector<process::Descriptor>& fds);

/// The limits that the kernel enforces, for each process by itself.
[[nodiscard]] std::vector<process::ResourceLimit> resource_limits(const wire::Request&);

}  // namespace cugrade::sandbox
