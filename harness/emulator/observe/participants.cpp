#include "emulator/observe/participants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/ops/table.hpp"

namespace cugrade::emulator {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Chosen. When a launch has had so many different questions, the values that further ones get are
/// not followed.
constexpr std::size_t most_questions = 0xFFFF;

std::string thread_text(const Warp& w, u32 lane) {
    return triple(thread_of(*w.launch, u64{w.index} * lanes + lane));
}

/// "thread (3,0,0) of block (0,0,0)"
std::string full_thread_text(const Warp& w, u32 lane) {
    return fmt::format("thread {} of block {}", thread_text(w, lane), triple(w.block->index));
}

/// "lane 5", "lanes 16 to 31", "lanes 1, 3, 5"
std::string lanes_text(u32 mask) {
    const auto first = static_cast<u32>(std::countr_zero(mask));
    if ((mask & (mask - 1)) == 0) return fmt::format("lane {}", first);
    const u32 run = mask >> first;
    if ((run & (run + 1)) == 0)
        return fmt::format("lanes {} to {}", first, 31 - std::countl_zero(mask));
    std::string text = "lanes";
    for_lanes(mask, [&](u32 l) {
        text += fmt::format("{} {}", text.size() > 5 ? "," : "", l);
        return true;
    });
    return text;
}

/// The name that students know.
std::string name_of_instruction(const ptx::Instruction& i) {
    if (i.opcode == "bar" || i.opcode == "barrier") return "__syncwarp()";
    if (i.opcode == "shfl")
        return i.has("up")     ? "__shfl_up_sync()"
               : i.has("down") ? "__shfl_down_sync()"
               : i.has("bfly") ? "__shfl_xor_sync()"
                               : "__shfl_sync()";
    if (i.opcode == "vote")
        return i.has("all")   ? "__all_sync()"
               : i.has("any") ? "__any_sync()"
               : i.has("uni") ? "a vote"
                              : "__ballot_sync()";
    if (i.opcode == "match") return i.has("all") ? "__match_all_sync()" : "__match_any_sync()";
    if (i.opcode == "redux") return "a __reduce_..._sync()";
    return fmt::format("`{}`", i.opcode);
}

/// Does a barrier need whole warps? A barrier.sync with a number of threads counts them one by one.
bool needs_whole_warps(const Ins* i, const ptx::Instruction& source) {
    return source.opcode == "bar" || source.has("aligned") || i->b == no_row;
}

}  // namespace

Participants::Participants(Findings& findings, UndefinedValues& undefined)
    : findings_(findings), undefined_(undefined) {
    undefined_.set_shuffled_finder(*this);
}

void Participants::launch_started(const Launch& launch) {
    launch_ = &launch;
    has_meetings_ = std::ranges::any_of(
        launch.program->code, [](const Ins& i) { return i.op == op::bar || i.op == op::shfl; });
    partings_.launch_started();
    questions_.assign(1, {});
    known_questions_.clear();
    reported_.clear();
    left_out_.clear();
}

void Participants::block_started(const Block& block) {
    if (!has_meetings_) return;
    partings_.block_started(block);
}

void Participants::parted(const Warp& w, const Ins* i, u32 mask, u32 taken) {
    if (has_meetings_) partings_.parted(w, i, mask, taken);
}

// --- barriers -----------------------------------------------------------------------------------

void Participants::arrived(const Warp& w, const Ins* i, u32 mask, u32 barrier) {
    if (barrier == meeting_barrier) return;  // nobody has to come
    if (w.alive == all_lanes || w.alive == lanes_of(w)) [[likely]]
        return;
    if (const u32 gone = partings_.ended(w); gone != 0) barrier_left_out(w, i, mask, gone);
}

void Participants::ended(const Warp& w, const Ins* i, u32 mask) {
    if (!has_meetings_) return;
    partings_.ended(w, i, mask);
    for (const Split& other : w.others)
        if (other.state == SplitState::at_barrier && other.barrier != meeting_barrier)
            barrier_left_out(w, other.pc, other.mask, mask);
}

void Participants::barrier_left_out(const Warp& w, const Ins* i, u32 waiting, u32 gone) {
    if (!needs_whole_warps(i, launch_->program->source_of(i))) return;
    const auto away = static_cast<u32>(std::countr_zero(gone));
    const Ins* left_at = partings_.left_at(w, away, waiting);
    if (is_known(FindingKind::barrier_divergence, nullptr, left_at)) return;
    const auto lane = static_cast<u32>(std::countr_zero(waiting));
    const Program& program = *launch_->program;
    const u32 others = static_cast<u32>(std::popcount(gone));
    Finding f;
    f.kind = FindingKind::barrier_divergence;
    f.message = fmt::format(
        "{} waits at the barrier in {}, but {} of its warp {} ended without coming to it: thread "
        "{} went another way in {}. A barrier is for all threads of the block. Have all of them "
        "come to it, and put under the condition only the work before and after it",
        full_thread_text(w, lane), place_of(program, i).text(),
        others == 1 ? "another thread" : fmt::format("{} threads", others),
        others == 1 ? "has" : "have", thread_text(w, away), place_of(program, left_at).text());
    report(std::move(f), w, i, lane, left_at);
}

// --- warp-level instructions --------------------------------------------------------------------

void Participants::exchanged(const Warp& w, const Ins* i, u32 group, u32 members) {
    if (const u32 outsiders = group & ~members; outsiders != 0) not_named(w, i, outsiders, members);
    if (i->op != op::shfl) return;
    if (const u32 gone = members & partings_.ended(w); gone != 0)
        shuffle_left_out(w, i, group, members, gone);
}

void Participants::not_named(const Warp& w, const Ins* i, u32 outsiders, u32 members) {
    if (is_known(FindingKind::mask_without_caller, i, nullptr)) return;
    const auto lane = static_cast<u32>(std::countr_zero(outsiders));
    const Program& program = *launch_->program;
    const std::string name = name_of_instruction(program.source_of(i));
    Finding f;
    f.kind = FindingKind::mask_without_caller;
    f.message = fmt::format(
        "{} calls {} in {} with the mask {:#010x}, which names {} of its warp and not itself: it "
        "is lane {}. What happens then is undefined. Let only threads that the mask names come "
        "here, or compute the mask from the condition that lets them through",
        full_thread_text(w, lane), name, place_of(program, i).text(), members,
        members == 0 ? "no lane" : lanes_text(members), lane);
    report(std::move(f), w, i, lane, nullptr);
}

void Participants::shuffle_left_out(const Warp& w, const Ins* i, u32 group, u32 members, u32 gone) {
    left_out_[i] |= gone;
    const auto away = static_cast<u32>(std::countr_zero(gone));
    const Ins* left_at = partings_.left_at(w, away, group);
    if (is_known(FindingKind::barrier_divergence, nullptr, left_at)) return;
    const auto lane = static_cast<u32>(std::countr_zero(group));
    const Program& program = *launch_->program;
    Finding f;
    f.kind = FindingKind::barrier_divergence;
    f.message = fmt::format(
        "{} calls {} in {} with the mask {:#010x}, but {} of those that it names {} ended without "
        "coming to it: thread {} went another way in {}. All lanes that a mask names must come to "
        "the same call. Let all threads of the warp come to it, or make the mask before they part, "
        "by __ballot_sync() of the condition",
        full_thread_text(w, lane), name_of_instruction(program.source_of(i)),
        place_of(program, i).text(), members, lanes_text(gone),
        (gone & (gone - 1)) == 0 ? "has" : "have", thread_text(w, away),
        place_of(program, left_at).text());
    report(std::move(f), w, i, lane, left_at);
}

void Participants::asked_in_vain(const Warp& w, const Ins* i, u32 mask,
                                 const ShuffleSources& sources) {
    const u32 active = w.current.mask, ended = partings_.ended(w);
    const Operand& operand = launch_->program->lists[i->target];
    const Row<u32> members{w.bases[operand.base] + operand.offset};
    const auto reported = left_out_.find(i);
    LaneOrigins origins{};
    u32 undefined = 0;
    for_lanes(mask, [&](u32 l) {
        const u32 source = sources[l], named = members.get(l);
        // A finding has reported already that this lane is missing.
        if (reported != left_out_.end() && (reported->second & named & ended) >> source & 1)
            return true;
        Question q{i, l, source, Absence::elsewhere, nullptr};
        if ((lanes_of(w) >> source & 1) == 0)
            q.why = Absence::no_thread;
        else if ((active >> source & 1) != 0)
            q.why = Absence::unnamed;
        else if ((ended >> source & 1) != 0)
            q.why = Absence::ended;
        if (q.why == Absence::ended || q.why == Absence::elsewhere)
            q.left_at = partings_.left_at(w, source, 1u << l);
        const auto known = known_questions_.find(q);
        if (known == known_questions_.end()) {
            if (questions_.size() > most_questions) return true;
            origins[l] = origin_of(UndefinedKind::shuffled, static_cast<u32>(questions_.size()));
            known_questions_.emplace(q, origins[l]);
            questions_.push_back(q);
        } else {
            origins[l] = known->second;
        }
        undefined |= 1u << l;
        return true;
    });
    if (undefined != 0) undefined_.add(w, i, undefined, origins);
}

/// A store to local memory only spills a register. A store to memory that other threads may read is
/// a use.
bool Participants::is_mere_copy(const Warp& w, const Ins* i, const Access& a,
                                const UndefinedStore& s) {
    if (a.space == ptx::Space::local) return true;
    used(w, i, s.lane, s.origin, ValueUse::stored);
    return false;
}

std::string Participants::reason(const Question& q) const {
    const std::string where =
        q.left_at == nullptr
            ? std::string("elsewhere")
            : fmt::format("another way in {}", place_of(*launch_->program, q.left_at).text());
    switch (q.why) {
        case Absence::no_thread:
            return fmt::format("there is no such lane: the block has {} threads",
                               launch_->threads_per_block);
        case Absence::ended: return fmt::format("lane {} has ended: it went {}", q.source, where);
        case Absence::elsewhere:
            return fmt::format("lane {} takes no part: it went {}", q.source, where);
        case Absence::unnamed: break;
    }
    return fmt::format("its mask does not name lane {}", q.source);
}

void Participants::used(const Warp& w, const Ins* i, u32 lane, UndefinedOrigin origin, ValueUse) {
    const Question& q = questions_[number_of(origin)];
    const Program& program = *launch_->program;
    // The two words of one value are two shuffles in one line: Findings::add makes one finding of
    // them, because the student has one thing to repair.
    if (is_known(FindingKind::inactive_lane_read, q.shuffle, q.left_at)) return;
    Finding f;
    f.kind = FindingKind::inactive_lane_read;
    f.message = fmt::format(
        "{} (lane {} of its warp) asks lane {} by {} in {}, but {}. What it gets is undefined, and "
        "{} in {}. Ask only lanes that execute the same call and are in its mask: begin with half "
        "of the lanes that take part, give the width as the last argument, or have all 32 lanes "
        "take part, with a neutral value where there is no element",
        full_thread_text(w, q.reader), q.reader, q.source,
        name_of_instruction(program.source_of(q.shuffle)), place_of(program, q.shuffle).text(),
        reason(q),
        lane == q.reader ? std::string("is used")
                         : fmt::format("comes to thread {}, which uses it", thread_text(w, lane)),
        place_of(program, i).text());
    report(std::move(f), w, q.shuffle, q.reader, q.left_at);
}

// --- both ---------------------------------------------------------------------------------------

bool Participants::is_known(FindingKind kind, const Ins* at, const Ins* second) {
    const auto known = reported_.find({kind, at, second});
    if (known == reported_.end()) return false;
    findings_.again(known->second);
    return true;
}

void Participants::report(Finding f, const Warp& w, const Ins* at, u32 lane, const Ins* second) {
    f.kernel = demangled(launch_->kernel->source->name);
    f.block = w.block->index;
    f.thread = thread_of(*launch_, u64{w.index} * lanes + lane);
    f.place = place_of(*launch_->program, at);
    if (second != nullptr) f.second = place_of(*launch_->program, second);
    const FindingKind kind = f.kind;
    // A thread that leaves out one barrier leaves out those behind it, too, and the student has one
    // branch to repair.
    if (kind == FindingKind::barrier_divergence) at = nullptr;
    reported_[{kind, at, second}] = findings_.add(std::move(f));
}

}  // namespace cugrade::emulator
