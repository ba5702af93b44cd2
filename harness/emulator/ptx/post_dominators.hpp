// Where paths that part meet again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cugrade::ptx {

constexpr std::uint32_t no_meeting = 0xFFFFFFFF;

/// The immediate post-dominator of each node: the nearest one that every path from the node to the
/// end passes. The end is the node behind the last, `successors.size()`. `no_meeting` for a node
/// from which no path leads to the end.
[[nodiscard]] std::vector<std::uint32_t> post_dominators(
    std::span<const std::vector<std::uint32_t>> successors);

}  // namespace cugrade::ptx
