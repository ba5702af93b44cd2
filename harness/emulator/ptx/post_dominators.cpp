// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the reversed edges.
#include "emulator/ptx/post_dominators.hpp"

#include <cstddef>
#include <utility>

namespace cugrade::ptx {

std::vector<std::uint32_t> post_dominators(std::span<const std::vector<std::uint32_t>> successors) {
    const auto end = static_cast<std::uint32_t>(successors.size());
    std::vector<std::vector<std::uint32_t>> before(successors.size() + 1);
    for (std::uint32_t n = 0; n < end; ++n)
        for (const std::uint32_t to : successors[n]) before[to].push_back(n);
    // Post-order of the reversed flow, from the end.
    std::vector<std::uint32_t> number(successors.size() + 1, no_meeting), order;
    std::vector<std::pair<std::uint32_t, std::size_t>> open{{end, 0}};
    std::vector<bool> seen(successors.size() + 1);
    seen[end] = true;
    while (!open.empty()) {
        auto& [node, next] = open.back();
        if (next < before[node].size()) {
            const std::uint32_t to = before[node][next++];
            if (!seen[to]) {
                seen[to] = true;
                open.emplace_back(to, 0);
            }
            continue;
        }
        number[node] = static_cast<std::uint32_t>(order.size());
        order.push_back(node);
        open.pop_back();
    }
    std::vector<std::uint32_t> nearest(successors.size() + 1, no_meeting);
    nearest[end] = end;
    for (bool changed = true; changed;) {
        changed = false;
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            const std::uint32_t node = *it;
            if (node == end) continue;
            std::uint32_t meet = no_meeting;
            for (std::uint32_t to : successors[node]) {
                if (nearest[to] == no_meeting) continue;
                if (meet == no_meeting) {
                    meet = to;
                    continue;
                }
                while (meet != to) {
                    while (number[meet] < number[to]) meet = nearest[meet];
                    while (number[to] < number[meet]) to = nearest[to];
                }
            }
            if (nearest[node] != meet) {
                nearest[node] = meet;
                changed = true;
            }
        }
    }
    nearest.pop_back();
    return nearest;
}

}  // namespace cugrade::ptx
