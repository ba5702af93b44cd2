// Decides what to report of two accesses that nothing orders: the kind, the cause, and the words.
#include <fmt/format.h>

#include <cstring>

#include "emulator/observe/race_detector.hpp"

namespace cugrade::emulator::races {

/// Reports two accesses that nothing orders, at least one of them weak, with their kind and cause.
void Detector::judge_race(Now& n, u32 lane, u64 address, const Epoch& before, bool was_write) {
    const bool one_warp =
        (before.who ^ (n.warp.who + lane)) < lanes && (before.what & level_mask) != of_block;
    const u32 other_code = before.what & code_mask;
    const bool both_write = was_write && n.writes;
    const bool together = both_write && is_together(n, lane, address, before);
    const FindingKind of_space = n.shared ? FindingKind::shared_race : FindingKind::global_race;
    const bool equal = both_write && idioms_.update_of(n.code) != Update::changing &&
                       same_value(n, lane, address, before.who % lanes, together);
    const bool exact = (before.what & level_mask) == 0;
    const bool holds_lock = !n.warp.lane.empty() && !n.warp.lane[lane].locks.empty();
    RaceCause cause = cause_of(n, lane, before);
    if (cause == RaceCause::unordered && !equal &&
        !idioms_.missing_atomic(n.code, other_code, exact).empty()) {
        if (holds_lock)
            cause = RaceCause::lock_in_vain;
        else if (!has_locks_)  // a program with locks may lack one here
            return report(n, lane, address, before, was_write, FindingKind::missing_atomic,
                          RaceCause::no_atomic);
    }
    if (equal && cause != RaceCause::lock_in_vain) {
        const bool other_block = before.who < n.block.first || before.who >= n.block.end;
        if (!idioms_.may_differ(n.code, other_block) &&
            !idioms_.may_differ(other_code, other_block))
            return report(n, lane, address, before, was_write, FindingKind::same_value_stores,
                          RaceCause::equal_always);
        cause = RaceCause::equal_by_luck;
    }
    report(n, lane, address, before, was_write,
           one_warp && !together ? FindingKind::missing_syncwarp : of_space, cause);
}

/// Do two lanes store by the same instruction together? Then no order of the lanes makes it right.
bool Detector::is_together(const Now& n, u32 lane, u64 address, const Epoch& before) {
    const u32 other = before.who % lanes;
    return (before.who ^ (n.warp.who + lane)) < lanes && (before.what & level_mask) == 0 &&
           (before.what & code_mask) == n.code && before.time == n.mine.time &&
           (n.a.mask >> other & 1) != 0 && address - n.a.address[other] < n.a.bytes;
}

/// Does the lane store the value that is there already or, if `together`, the value that lane
/// `other` stores there?
bool Detector::same_value(const Now& n, u32 lane, u64 address, u32 other, bool together) const {
    if (n.a.kind != Access::Kind::store || n.i->touch == Touch::async) return false;
    const auto value = [&](u32 l, std::array<std::byte, 64>& bytes) {
        const u32 element = n.i->bytes, stride = element == 8 ? 8 : 4;
        const u32 count = std::max<u32>(n.i->aux, 1);
        if (element * count > bytes.size()) return false;
        for (u32 k = 0; k < count; ++k) {
            const std::byte* row = n.w.bases[n.i->kb] + n.i->b;
            if (count > 1) {
                const Operand& o = launch_->program->lists[n.i->target + k];
                row = n.w.bases[o.base] + o.offset;
            }
            std::memcpy(bytes.data() + k * element, row + std::size_t{l} * stride, element);
        }
        return true;
    };
    const u32 bytes = n.a.bytes < 4 ? 1 : 4;
    std::array<std::byte, 64> mine{}, theirs{};
    if (!value(lane, mine)) return false;
    const u64 at = address - n.a.address[lane];
    if (!together) {
        const std::byte* there =
            n.shared ? n.w.block->shared + address : launch_->arena->host(address);
        return std::memcmp(mine.data() + at, there, bytes) == 0;
    }
    const u64 from = address - n.a.address[other];
    return value(other, theirs) && from + bytes <= n.a.bytes &&
           std::memcmp(mine.data() + at, theirs.data() + from, bytes) == 0;
}

RaceCause Detector::cause_of(const Now& n, u32 lane, const Epoch& before) {
    const bool other_block = before.who < n.block.first || before.who >= n.block.end;
    if (!other_block || n.shared) return RaceCause::unordered;
    if ((before.what & is_strong) != 0 && n.a.strong) return RaceCause::narrow_scope;
    return ordered(n, lane, before, true) ? RaceCause::no_fence : RaceCause::unordered;
}

void Detector::report(const Now& n, u32 lane, u64 address, const Epoch& before, bool was_write,
                      FindingKind kind, RaceCause cause) {
    const u32 other_code = before.what & code_mask;
    const u64 key = u64{static_cast<u8>(kind)} << 56 | u64{n.code} << 24 | other_code;
    if (const auto known = reported_.find(key); known != reported_.end())
        return findings_.again(known->second);
    const Program& program = *launch_->program;
    const u32 per_block = warps_per_block_ * lanes;
    Finding f;
    f.kind = kind;
    f.kernel = demangled(launch_->kernel->source->name);
    f.block = n.w.block->index;
    f.thread = thread_of(*launch_, n.w.index * lanes + lane);
    f.place = place_of(program, n.i);
    f.second = place_of(program, program.at(other_code));
    f.buffer = n.shared ? describe_shared(*launch_, address) : launch_->arena->located(address);
    // If the epoch stands for several readers, any of them but the writer will do.
    const u32 who = before.who == n.warp.who + lane ? before.who ^ 1 : before.who;
    const auto other_block = block_of(*launch_, who / per_block);
    const auto other_thread = thread_of(*launch_, who % per_block);
    const bool same_block = who / per_block == n.block.number;
    const char* does = n.a.kind == Access::Kind::atomic ? "changes" : n.writes ? "writes" : "reads";
    const char* did = (before.what & is_atomic) != 0 ? "changed" : was_write ? "written" : "read";
    const std::string advice =
        advice_for(kind, cause, same_block,
                   cause == RaceCause::no_atomic
                       ? idioms_.missing_atomic(n.code, other_code, (before.what & level_mask) == 0)
                       : "");
    f.message = fmt::format("thread {} of block {} {} {}, which is {} in {} by thread {} of {}; {}",
                            triple(f.thread), triple(f.block), does, f.buffer, did,
                            f.second->text(), triple(other_thread),
                            same_block ? "the same block" : "block " + triple(other_block), advice);
    f.without_data =
        fmt::format("a thread {} a word of {} memory, which is {} by a thread of {}; {}", does,
                    n.shared ? "shared" : "global", did,
                    same_block ? "the same block" : "another block", advice);
    reported_.emplace(key, findings_.add(std::move(f)));
}

/// Stops watching the launch from the instruction on; if there is none, from the launch's start.
void Detector::give_up(const Ins* i, std::string_view why) {
    enabled_ = false;
    Finding f;
    f.kind = FindingKind::races_unwatched;
    f.kernel = demangled(launch_->kernel->source->name);
    if (i != nullptr) f.place = place_of(*launch_->program, i);
    f.message =
        fmt::format("{}: what races {} is not found", why, i != nullptr ? "from here on" : "in it");
    findings_.add(std::move(f));
}

}  // namespace cugrade::emulator::races
