#include "emulator/observe/initialised.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cugrade::emulator {
namespace {

using ptx::Space;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// Calls f(word, bits of it) for each word of 64 bits that [from, from + count) touches, until f
/// returns false.
template <class F>
bool for_words(u64 from, u64 count, F&& f) {
    while (count != 0) {
        const u64 first = from % 64, here = std::min(count, 64 - first);
        const u64 bits = (here == 64 ? ~u64{0} : (u64{1} << here) - 1) << first;
        if (!f(from / 64, bits)) return false;
        from += here;
        count -= here;
    }
    return true;
}

}  // namespace

void Initialised::Bits::set(u64 from, u64 count) {
    for_words(from, count, [&](u64 word, u64 bits) {
        left_ -= static_cast<u64>(std::popcount(bits & ~words_[word]));
        words_[word] |= bits;
        return true;
    });
}
bool Initialised::Bits::all(u64 from, u64 count) const {
    return for_words(from, count,
                     [&](u64 word, u64 bits) { return (words_[word] & bits) == bits; });
}
bool Initialised::Bits::any(u64 from, u64 count) const {
    return !for_words(from, count, [&](u64 word, u64 bits) { return (words_[word] & bits) == 0; });
}

Initialised::Initialised(Findings& findings, Memory& memory)
    : findings_(findings), memory_(memory) {
    memory_.watch(this);
}
Initialised::~Initialised() { memory_.watch(nullptr); }

// --- what the host does -------------------------------------------------------------------------

void Initialised::allocated(u64 address, u64 bytes) {
    Allocation& a = allocations_[address];
    a.range = {address, bytes};
    a.bits.reset(bytes);
}

void Initialised::freed(u64 address) {
    allocations_.erase(address);
    std::fill(by_instruction_.begin(), by_instruction_.end(), nullptr);
}

void Initialised::written(u64 address, u64 bytes) {
    if (bytes == 0) return;
    if (Allocation* a = find(address)) a->bits.set(address - a->range.lo, bytes);
}

/// Copies what is known, too: a copy of nothing is nothing.
void Initialised::copied(u64 to, u64 from, u64 bytes) {
    if (bytes == 0 || to == from) return;
    Allocation* target = find(to);
    if (target == nullptr) return;
    const Allocation* source = find(from);
    if (source == nullptr || source->bits.full()) return written(to, bytes);
    std::vector<bool> known(bytes);
    for (u64 k = 0; k < bytes; ++k) known[k] = source->bits.any(from - source->range.lo + k, 1);
    for (u64 k = 0; k < bytes; ++k)
        if (known[k]) target->bits.set(to - target->range.lo + k, 1);
}

Initialised::Unwritten Initialised::unwritten(u64 address, u64 bytes) {
    constexpr u64 padding = 8;
    Unwritten all;
    const Allocation* a = find(address);
    if (a == nullptr || a->bits.full() || !a->range.holds(address, bytes)) return all;
    all.allocation = a->range.lo;
    u64 run = 0;
    const auto end_of_run = [&](u64 end) {
        if (run >= padding || run == bytes) {
            if (all.bytes == 0) all.first = end - run;
            all.bytes += run;
        }
        run = 0;
    };
    for (u64 at = address; at < address + bytes;) {
        // Mostly everything is written: eight words at a time.
        const u64 offset = at - a->range.lo, here = std::min<u64>(512, address + bytes - at);
        if (a->bits.all(offset, here)) {
            end_of_run(at);
            at += here;
            continue;
        }
        for (const u64 end = at + here; at < end; ++at)
            if (a->bits.any(at - a->range.lo, 1))
                end_of_run(at);
            else
                ++run;
    }
    end_of_run(address + bytes);
    return all;
}

Initialised::Allocation* Initialised::find(u64 address) {
    auto it = allocations_.upper_bound(address);
    if (it == allocations_.begin()) return nullptr;
    --it;
    return it->second.range.holds(address, 1) ? &it->second : nullptr;
}

/// An instruction mostly stays in one allocation.
Initialised::Allocation* Initialised::cached(const Ins* i, u64 address) {
    if (i->range >= by_instruction_.size()) return find(address);
    Allocation*& known = by_instruction_[i->range];
    if (known == nullptr || !known->range.holds(address, 1)) known = find(address);
    return known;
}

// --- what kernels do ----------------------------------------------------------------------------

void Initialised::launch_started(const Launch& launch) {
    launch_ = &launch;
    by_instruction_.assign(launch.ranges.size(), nullptr);
    blocks_.clear();
    last_block_ = nullptr;
    reported_.clear();
}
void Initialised::launch_ended(const Launch&) { launch_ = nullptr; }

Initialised::BlockState& Initialised::state_of(const Block* block) {
    if (block != last_block_) {
        last_block_ = block;
        auto& slot = blocks_[block];
        if (slot == nullptr) slot = std::make_unique<BlockState>();
        last_state_ = slot.get();
    }
    return *last_state_;
}

void Initialised::block_started(const Block& block) {
    BlockState& b = state_of(&block);
    b.shared.reset(launch_->shared_bytes);
    b.local.resize(block.warps.size());
    for (auto& stack : b.local) stack.clear();
}

void Initialised::accessed(const Warp& w, const Ins* i, const Access& a) {
    switch (a.space) {
        case Space::global: return in_global(w, i, a);
        case Space::shared: return in_shared(w, i, a);
        case Space::local: return in_local(w, i, a);
        default: return;
    }
}

void Initialised::in_global(const Warp& w, const Ins* i, const Access& a) {
    const bool reads = a.kind != Access::Kind::store, writes = a.kind != Access::Kind::load;
    const u64 start = a.start();
    Allocation* known = cached(i, start);
    if (a.pattern == Pattern::consecutive) {
        const u64 bytes = a.length();
        if (known != nullptr && known->range.holds(start, bytes)) {
            if (known->bits.full()) return;
            const u64 offset = start - known->range.lo;
            if (!reads) return known->bits.set(offset, bytes);
            if (known->bits.all(offset, bytes)) return;
        }
    }
    for_lanes(a.mask, [&](u32 l) {
        const u64 address = a.address[l];
        if (known == nullptr || !known->range.holds(address, a.bytes)) {
            known = cached(i, address);
            if (known == nullptr || !known->range.holds(address, a.bytes)) return true;
        }
        if (known->bits.full()) return true;
        const u64 offset = address - known->range.lo;
        if (reads && !known->bits.any(offset, a.bytes)) report(w, i, a, l);
        if (writes) known->bits.set(offset, a.bytes);
        return true;
    });
}

void Initialised::in_shared(const Warp& w, const Ins* i, const Access& a) {
    Bits& bits = state_of(w.block).shared;
    if (bits.full()) return;
    const bool reads = a.kind != Access::Kind::store, writes = a.kind != Access::Kind::load;
    const Range all{0, launch_->shared_bytes};
    if (a.pattern == Pattern::consecutive && all.holds(a.start(), a.length())) {
        if (!reads) return bits.set(a.start(), a.length());
        if (bits.all(a.start(), a.length())) return;
    }
    for_lanes(a.mask, [&](u32 l) {
        if (!all.holds(a.address[l], a.bytes)) return true;
        if (reads && !bits.any(a.address[l], a.bytes)) report(w, i, a, l);
        if (writes) bits.set(a.address[l], a.bytes);
        return true;
    });
}

void Initialised::in_local(const Warp& w, const Ins* i, const Access& a) {
    std::vector<u32>& stack = state_of(w.block).local[w.index];
    const bool reads = a.kind != Access::Kind::store, writes = a.kind != Access::Kind::load;
    for_lanes(a.mask, [&](u32 l) {
        const u64 offset = a.address[l];
        if (offset >= local_stack_bytes || local_stack_bytes - offset < a.bytes) return true;
        if (offset + a.bytes > stack.size()) stack.resize(offset + a.bytes + 64);
        u32 known = 0;
        for (u32 k = 0; k < a.bytes; ++k) known |= stack[offset + k];
        if (reads && (known >> l & 1) == 0) report(w, i, a, l);
        if (writes)
            for (u32 k = 0; k < a.bytes; ++k) stack[offset + k] |= 1u << l;
        return true;
    });
}

void Initialised::report(const Warp& w, const Ins* i, const Access& a, u32 lane) {
    const u64 key = u64{launch_->program->index_of(i)} << 8 | static_cast<u64>(a.space);
    if (const auto known = reported_.find(key); known != reported_.end())
        return findings_.again(known->second);
    Finding f;
    f.kind = FindingKind::uninitialised_read;
    f.kernel = demangled(launch_->kernel->source->name);
    f.block = w.block->index;
    f.thread = thread_of(*launch_, w.index * lanes + lane);
    f.place = place_of(*launch_->program, i);
    const char* advice = "";
    switch (a.space) {
        case Space::global:
            f.buffer = launch_->arena->located(a.address[lane]);
            advice =
                "neither the host nor a kernel: new memory holds garbage, so fill it first "
                "(cudaMemset, cudaMemcpy, or a kernel)";
            break;
        case Space::shared:
            f.buffer = describe_shared(*launch_, a.address[lane]);
            advice = "in this block: shared memory starts with garbage in each block";
            break;
        default:
            f.buffer = fmt::format("byte {} of its local memory", a.address[lane]);
            advice = "a local array or variable starts with garbage";
            break;
    }
    f.message = fmt::format(
        "thread {} of block {} {} {} byte{} at {}, which nobody has written, {}", triple(f.thread),
        triple(f.block), a.kind == Access::Kind::atomic ? "changes" : "reads", a.bytes,
        a.bytes == 1 ? "" : "s", f.buffer, advice);
    reported_.emplace(key, findings_.add(std::move(f)));
}

}  // namespace cugrade::emulator
