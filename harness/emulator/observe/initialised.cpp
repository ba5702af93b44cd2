#include "emulator/observe/initialised.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cugrade::emulator {
namespace {

using ptx::Space;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

}  // namespace

Initialised::Initialised(Findings& findings, UndefinedValues& undefined)
    : findings_(findings), undefined_(undefined) {
    undefined_.set_unwritten_finder(*this);
}

void Initialised::launch_started(const Launch& launch) {
    launch_ = &launch;
    reported_.clear();
    loads_.clear();
}
void Initialised::launch_ended(const Launch&) {
    judge_copies();
    launch_ = nullptr;
}

UndefinedOrigin Initialised::note_load(const Warp& w, const Ins* i, const Access& a,
                                       const LaneBytes& missing) {
    // Beyond so many loads, a finding may show the details of an earlier load.
    constexpr std::size_t most = 16'384;
    if (loads_.size() == most) {
        const auto same = std::find_if(loads_.rbegin(), loads_.rend(), [&](const Load& load) {
            return load.at == i && load.space == a.space;
        });
        if (same != loads_.rend()) return static_cast<UndefinedOrigin>(loads_.rend() - same);
        return static_cast<UndefinedOrigin>(most);
    }
    Load load;
    load.at = i;
    load.space = a.space;
    load.kind = a.kind;
    load.bytes = a.bytes;
    load.warp = w.index;
    load.block = w.block->index;
    load.address = a.address;
    load.missing = missing;
    for_lanes(a.mask, [&](u32 l) {
        if (missing[l] == 0) return true;
        load.mask |= 1u << l;
        load.is_torn = load.is_torn || undefined_.memory().is_torn(i, a, l, missing[l]);
        return true;
    });
    loads_.push_back(load);
    return static_cast<UndefinedOrigin>(loads_.size());
}

// --- stores -------------------------------------------------------------------------------------

bool Initialised::is_mere_copy(const Warp& w, const Ins* i, const Access& a,
                               const UndefinedStore& s) {
    if (a.space != Space::global) return true;
    const Load& load = loads_[number_of(s.origin) - 1];
    const bool is_copy = (s.origin & is_computed) == 0 && !load.is_torn;
    if (is_copy && s.is_all() && may_be_padding(i, s.bytes)) {
        copies_.push_back({a.address[s.lane], s.bytes, reader_of(w, load, s.lane), s.origin, i});
        return true;
    }
    if (is_copy && !s.is_all()) return true;
    used(w, i, s.lane, s.origin, ValueUse::stored);
    return false;
}

/// The compiler copies structures piece by piece, so a piece may be all padding. With optimisation
/// a piece is as large as the structure's alignment, or a byte or two if the alignment is not
/// known. Without optimisation a piece has 4 bytes, and one source line stores all pieces.
bool Initialised::may_be_padding(const Ins* i, u32 bytes) const {
    if (bytes < 4) return true;
    const Program& program = *launch_->program;
    if (bytes >= most_padding || !program.module->is_debug) return false;
    constexpr u32 near = 64;  // chosen: instructions between two pieces of a structure
    const u32 n = program.index_of(i);
    const u32 last = std::min<u32>(n + near, static_cast<u32>(program.code.size()) - 1);
    for (u32 k = n < near ? 0 : n - near; k <= last; ++k) {
        const Ins* other = program.at(k);
        if (k != n && other->use == Use::store && other->touch != Touch::nothing &&
            program.origins[k].function == program.origins[n].function &&
            place_of(program, other).same_line(place_of(program, i)))
            return true;
    }
    return false;
}

/// Padding is a short run of bytes. Copies side by side that make a longer run are no padding.
void Initialised::judge_copies() {
    std::sort(copies_.begin(), copies_.end(),
              [](const Copy& a, const Copy& b) { return a.address < b.address; });
    std::erase_if(copies_, [this](const Copy& c) {  // overwritten since
        return !undefined_.memory().is_undefined(c.address, c.bytes);
    });
    for (std::size_t first = 0; first < copies_.size();) {
        u64 end = copies_[first].address;
        std::size_t next = first;
        for (; next < copies_.size() && copies_[next].address <= end; ++next)
            end = std::max(end, copies_[next].address + copies_[next].bytes);
        if (end - copies_[first].address >= most_padding)
            for (std::size_t n = first; n < next; ++n) {
                const Load& load = loads_[number_of(copies_[n].origin) - 1];
                report(load, copies_[n].lane, copies_[n].at, ValueUse::stored);
            }
        first = next;
    }
    copies_.clear();
}

// --- findings -----------------------------------------------------------------------------------

void Initialised::used(const Warp& w, const Ins* i, u32 lane, UndefinedOrigin origin,
                       ValueUse use) {
    const u32 number = number_of(origin);
    if (number == 0 || number > loads_.size()) return;
    const Load& load = loads_[number - 1];
    report(load, reader_of(w, load, lane), i, use);
}

/// The lane itself, if it was among those that loaded the value; else the first of them.
u32 Initialised::reader_of(const Warp& w, const Load& load, u32 lane) {
    const bool has_read =
        (load.mask >> lane & 1) != 0 && load.warp == w.index && load.block == w.block->index;
    return has_read ? lane : static_cast<u32>(std::countr_zero(load.mask));
}

void Initialised::report(const Load& load, u32 lane, const Ins* used_at, ValueUse use) {
    const u64 key = u64{launch_->program->index_of(load.at)} << 8 | static_cast<u64>(load.space);
    if (const auto known = reported_.find(key); known != reported_.end())
        return findings_.again(known->second);
    Finding f;
    f.kind = FindingKind::uninitialised_read;
    f.kernel = demangled(launch_->kernel->source->name);
    f.block = load.block;
    f.thread = thread_of(*launch_, u64{load.warp} * lanes + lane);
    f.place = place_of(*launch_->program, load.at);
    const char* advice = "";
    switch (load.space) {
        case Space::global:
            f.buffer = launch_->arena->located(load.address[lane]);
            advice =
                "neither the host nor a kernel: new memory holds garbage, so fill it first "
                "(cudaMemset, cudaMemcpy, or a kernel)";
            break;
        case Space::shared:
            f.buffer = describe_shared(*launch_, load.address[lane]);
            advice = "in this block: shared memory starts with garbage in each block";
            break;
        default:
            f.buffer = fmt::format("byte {} of its local memory", load.address[lane]);
            advice = "a local array or variable starts with garbage";
            break;
    }
    static constexpr const char* uses[] = {"decides which way a branch goes",
                                           "decides whether something happens",
                                           "is part of an address",
                                           "decides which function is called",
                                           "goes to a barrier",
                                           "is passed to a function that shows or keeps it",
                                           "goes into an atomic",
                                           "is stored to global memory",
                                           "is changed"};
    static_assert(std::size(uses) == static_cast<std::size_t>(ValueUse::count));
    const auto unwritten = static_cast<u32>(std::popcount(load.missing[lane]));
    const std::string part = unwritten < load.bytes ? fmt::format("{} of ", unwritten) : "";
    f.message = fmt::format(
        "thread {} of block {} {} {} byte{} at {}, {}which nobody has written, {}",
        triple(f.thread), triple(f.block), load.kind == Access::Kind::atomic ? "changes" : "reads",
        load.bytes, load.bytes == 1 ? "" : "s", f.buffer, part, advice);
    if (const Place place = place_of(*launch_->program, used_at); !place.same_line(f.place))
        f.message += fmt::format("; in {}, what comes of it {}", place.text(),
                                 uses[static_cast<std::size_t>(use)]);
    reported_.emplace(key, findings_.add(std::move(f)));
}

}  // namespace cugrade::emulator
