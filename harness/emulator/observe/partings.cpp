#include "emulator/observe/partings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace cugrade::emulator {

using u32 = std::uint32_t;

u32 lanes_of(const Warp& w) {
    const u32 threads = std::min(w.launch->threads_per_block - w.index * lanes, lanes);
    return threads == lanes ? all_lanes : (1u << threads) - 1;
}

void Partings::block_started(const Block& block) {
    if (warps_.empty()) return;
    // The block that ran in this slot before may have used the same Warp objects. Their lists are
    // emptied and keep their memory.
    for (const Warp& w : block.warps)
        if (const auto found = warps_.find(&w); found != warps_.end()) {
            found->second.partings.clear();
            found->second.ends.clear();
            found->second.ended = 0;
        }
}

const Partings::State* Partings::find(const Warp& w) const {
    if (warps_.empty()) return nullptr;
    const auto found = warps_.find(&w);
    return found == warps_.end() ? nullptr : &found->second;
}

void Partings::parted(const Warp& w, const Ins* i, u32 mask, u32 taken) {
    State& state = warps_[&w];
    const Parting parting{i, mask, taken};
    if (!state.partings.empty() && state.partings.back() == parting) return;
    if (state.partings.size() >= state.limit) drop_hidden(state);
    state.partings.push_back(parting);
}

void Partings::drop_hidden(State& state) {
    constexpr std::size_t smallest_limit = 64;
    std::array<u32, lanes> parted_later{};  // by lane: lanes that a later branch parts from it
    std::vector<Parting> kept;
    for (auto p = state.partings.rbegin(); p != state.partings.rend(); ++p) {
        bool is_last = false;
        for_lanes(p->mask, [&](u32 l) {
            const u32 others = (p->taken >> l & 1) != 0 ? p->mask & ~p->taken : p->taken;
            is_last |= (others & ~parted_later[l]) != 0;
            parted_later[l] |= others;
            return true;
        });
        if (is_last) kept.push_back(*p);
    }
    std::ranges::reverse(kept);
    state.partings = std::move(kept);
    state.limit = std::max(smallest_limit, 2 * state.partings.size());
}

void Partings::ended(const Warp& w, const Ins* i, u32 mask) {
    State& state = warps_[&w];
    state.ended |= mask;
    state.ends.push_back({i, mask});
}

u32 Partings::ended(const Warp& w) const {
    const State* state = find(w);
    return state == nullptr ? 0 : state->ended;
}

const Ins* Partings::left_at(const Warp& w, u32 away, u32 stayed) const {
    const State* state = find(w);
    if (state == nullptr || stayed == 0) return nullptr;
    const auto first = static_cast<u32>(std::countr_zero(stayed));
    const auto parts = [&](const Parting& p) {
        return (p.mask >> away & p.mask >> first & (p.taken >> away ^ p.taken >> first) & 1) != 0;
    };
    const auto& partings = state->partings;
    if (const auto last = std::find_if(partings.rbegin(), partings.rend(), parts);
        last != partings.rend())
        return last->branch;
    for (const End& end : state->ends)
        if ((end.mask >> away & 1) != 0) return end.at;
    return nullptr;
}

}  // namespace cugrade::emulator
