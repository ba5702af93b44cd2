// What the messages of a runner say. All of it is a claim of untrusted code: sizes and counts are
// checked, and text is cleaned. Errors say which rule of the protocol a message breaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "protocol/runner_protocol.hpp"

namespace cugrade {

[[nodiscard]] Result<protocol::Hello> read_hello(std::span<const std::byte> message);

struct RunnerReply {
    protocol::Reply head;
    std::vector<std::uint64_t> values;
};
[[nodiscard]] Result<RunnerReply> read_reply(std::span<const std::byte> message);

}  // namespace cugrade
