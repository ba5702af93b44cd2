#include "emulator/observe/defined_memory.hpp"

#include <algorithm>
#include <utility>

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

void DefinedMemory::Bits::set(u64 from, u64 count) {
    for_words(from, count, [&](u64 word, u64 bits) {
        left_ -= static_cast<u64>(std::popcount(bits & ~words_[word]));
        words_[word] |= bits;
        return true;
    });
}
void DefinedMemory::Bits::clear(u64 from, u64 count) {
    for_words(from, count, [&](u64 word, u64 bits) {
        left_ += static_cast<u64>(std::popcount(bits & words_[word]));
        words_[word] &= ~bits;
        return true;
    });
}
u32 DefinedMemory::Bits::missing(u64 from, u32 count) const {
    const u64 shift = from % 64;
    u64 known = words_[from / 64] >> shift;
    if (shift + count > 64) known |= words_[from / 64 + 1] << (64 - shift);
    return static_cast<u32>(~known & ((u64{1} << count) - 1));
}
bool DefinedMemory::Bits::all(u64 from, u64 count) const {
    return for_words(from, count,
                     [&](u64 word, u64 bits) { return (words_[word] & bits) == bits; });
}
bool DefinedMemory::Bits::any(u64 from, u64 count) const {
    return !for_words(from, count, [&](u64 word, u64 bits) { return (words_[word] & bits) == 0; });
}

DefinedMemory::DefinedMemory(Memory& memory) : memory_(memory) { memory_.watch(this); }
DefinedMemory::~DefinedMemory() { memory_.watch(nullptr); }

// --- what the host does -------------------------------------------------------------------------

void DefinedMemory::allocated(u64 address, u64 bytes) {
    Allocation& a = allocations_[address];
    a.range = {address, bytes};
    a.bits.reset(bytes);
}

void DefinedMemory::freed(u64 address) {
    allocations_.erase(address);
    std::fill(by_instruction_.begin(), by_instruction_.end(), nullptr);
}

void DefinedMemory::written(u64 address, u64 bytes) {
    if (bytes == 0) return;
    Allocation* a = find(address);
    if (a == nullptr) return;
    a->bits.set(address - a->range.lo, bytes);
    constexpr u64 largest_element = 8;
    constexpr std::size_t most = 64;  // chosen: enough for a beginner's program
    if (bytes < largest_element && a->pieces.size() < most) a->pieces.push_back({address, bytes});
}

/// Copies the bits with the bytes: a copy of unwritten memory is as unwritten as its source.
void DefinedMemory::copied(u64 to, u64 from, u64 bytes) {
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

DefinedMemory::Unwritten DefinedMemory::unwritten(u64 address, u64 bytes) const {
    Unwritten all;
    const Allocation* a = find(address);
    if (a == nullptr || a->bits.full() || !a->range.holds(address, bytes)) return all;
    all.allocation = a->range.lo;
    u64 run = 0;
    const auto end_of_run = [&](u64 end) {
        if (run >= most_padding || run == bytes) {
            if (all.bytes == 0) all.first = end - run;
            all.bytes += run;
        }
        run = 0;
    };
    for (u64 at = address; at < address + bytes;) {
        // Mostly everything is written, so skip eight words of bits at a time.
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

const DefinedMemory::Allocation* DefinedMemory::find(u64 address) const {
    auto it = allocations_.upper_bound(address);
    if (it == allocations_.begin()) return nullptr;
    --it;
    return it->second.range.holds(address, 1) ? &it->second : nullptr;
}
DefinedMemory::Allocation* DefinedMemory::find(u64 address) {
    return const_cast<Allocation*>(std::as_const(*this).find(address));
}

/// Remembers the allocation of each instruction, because an instruction mostly stays in one.
DefinedMemory::Allocation* DefinedMemory::cached(const Ins* i, u64 address) {
    if (i->range >= by_instruction_.size()) return find(address);
    Allocation*& known = by_instruction_[i->range];
    if (known == nullptr || !known->range.holds(address, 1)) known = find(address);
    return known;
}

/// Does the access read an element of which the host has written one part and nobody the rest?
bool DefinedMemory::is_torn(const Ins* i, const Access& a, u32 lane, u32 missing) const {
    if (a.space != Space::global || missing == 0 || i->bytes == 0) return false;
    const Allocation* known = find(a.address[lane]);
    if (known == nullptr) return false;
    for (u32 at = 0; at < a.bytes; at += i->bytes) {
        const Range element{a.address[lane] + at, i->bytes};
        const u32 here = missing >> at & ((u32{1} << i->bytes) - 1);
        if (here == 0) continue;
        for (const Range& piece : known->pieces)
            if (element.holds(piece.lo, piece.bytes)) return true;
    }
    return false;
}

bool DefinedMemory::is_undefined(u64 address, u32 bytes) const {
    const Allocation* known = find(address);
    return known != nullptr && known->range.holds(address, bytes) &&
           !known->bits.any(address - known->range.lo, bytes);
}

// --- what kernels do ----------------------------------------------------------------------------

void DefinedMemory::launch_started(const Launch& launch) {
    launch_ = &launch;
    by_instruction_.assign(launch.ranges.size(), nullptr);
    blocks_.clear();
    global_origins_.clear();
}

void DefinedMemory::block_started(const Block& block) {
    BlockState& b = blocks_[&block];
    b.shared.reset(launch_->shared_bytes);
    if (launch_->options->zero_shared) b.shared.set(0, launch_->shared_bytes);
    b.local.resize(block.warps.size());
    for (auto& stack : b.local) stack.clear();
    b.shared_origins.clear();
    b.local_origins.clear();
}

bool DefinedMemory::in_global(const Ins* i, const Access& a) {
    const bool reads = a.kind != Access::Kind::store, writes = a.kind != Access::Kind::load;
    const u64 start = a.start();
    Allocation* known = cached(i, start);
    if (a.pattern == Pattern::consecutive) {
        const u64 bytes = a.length();
        if (known != nullptr && known->range.holds(start, bytes)) {
            if (known->bits.full()) return false;
            const u64 offset = start - known->range.lo;
            if (!reads) return known->bits.set(offset, bytes), false;
            if (known->bits.all(offset, bytes)) return false;
        }
    }
    missing_ = {};
    u32 any = 0;
    for_lanes(a.mask, [&](u32 l) {
        const u64 address = a.address[l];
        if (known == nullptr || !known->range.holds(address, a.bytes)) {
            known = cached(i, address);
            if (known == nullptr || !known->range.holds(address, a.bytes)) return true;
        }
        if (known->bits.full()) return true;
        const u64 offset = address - known->range.lo;
        if (reads) any |= missing_[l] = known->bits.missing(offset, a.bytes);
        if (writes) known->bits.set(offset, a.bytes);
        return true;
    });
    return any != 0;
}

bool DefinedMemory::in_shared(const Warp& w, const Access& a) {
    Bits& bits = blocks_[w.block].shared;
    if (bits.full()) return false;
    const bool reads = a.kind != Access::Kind::store, writes = a.kind != Access::Kind::load;
    const Range all{0, launch_->shared_bytes};
    if (a.pattern == Pattern::consecutive && all.holds(a.start(), a.length())) {
        if (!reads) return bits.set(a.start(), a.length()), false;
        if (bits.all(a.start(), a.length())) return false;
    }
    missing_ = {};
    u32 any = 0;
    for_lanes(a.mask, [&](u32 l) {
        if (!all.holds(a.address[l], a.bytes)) return true;
        if (reads) any |= missing_[l] = bits.missing(a.address[l], a.bytes);
        if (writes) bits.set(a.address[l], a.bytes);
        return true;
    });
    return any != 0;
}

bool DefinedMemory::in_local(const Warp& w, const Access& a) {
    const bool reads = a.kind != Access::Kind::store, writes = a.kind != Access::Kind::load;
    missing_ = {};
    u32 any = 0;
    for_lanes(a.mask, [&](u32 l) {
        if (reads) any |= missing_[l] = this->missing(w, Space::local, l, a.address[l], a.bytes);
        if (writes) write(w, Space::local, l, a.address[l], a.bytes, 0, 0);
        return true;
    });
    return any != 0;
}

/// Returns 0 for addresses outside of memory that is watched.
u32 DefinedMemory::missing(const Warp& w, Space space, u32 lane, u64 address, u32 bytes) {
    switch (space) {
        case Space::global: {
            const Allocation* known = find(address);
            if (known == nullptr || !known->range.holds(address, bytes)) return 0;
            return known->bits.missing(address - known->range.lo, bytes);
        }
        case Space::shared:
            if (!Range{0, launch_->shared_bytes}.holds(address, bytes)) return 0;
            return blocks_[w.block].shared.missing(address, bytes);
        case Space::local: {
            if (!Range{0, launch_->local_stack_bytes}.holds(address, bytes)) return 0;
            const std::vector<u32>& stack = blocks_[w.block].local[w.index];
            u32 missing = 0;
            for (u32 k = 0; k < bytes; ++k) {
                const u32 known = address + k < stack.size() ? stack[address + k] : 0;
                missing |= (~known >> lane & 1) << k;
            }
            return missing;
        }
        default: return 0;
    }
}

void DefinedMemory::write(const Warp& w, Space space, u32 lane, u64 address, u32 bytes,
                          u32 undefined, UndefinedOrigin origin) {
    if (undefined != 0)
        for (u32 k = 0; k < bytes; ++k)
            if ((undefined >> k & 1) != 0) origin_at(w, space, lane, address + k) = origin;
    Bits* bits = nullptr;
    u64 from = address;
    if (space == Space::global) {
        Allocation* known = find(address);
        if (known == nullptr || !known->range.holds(address, bytes)) return;
        bits = &known->bits;
        from -= known->range.lo;
    } else if (space == Space::shared) {
        if (!Range{0, launch_->shared_bytes}.holds(address, bytes)) return;
        bits = &blocks_[w.block].shared;
    } else {
        if (space != Space::local || !Range{0, launch_->local_stack_bytes}.holds(address, bytes))
            return;
        std::vector<u32>& stack = blocks_[w.block].local[w.index];
        if (address + bytes > stack.size()) stack.resize(address + bytes + 64);
        for (u32 k = 0; k < bytes; ++k) {
            u32& known = stack[address + k];
            known = (undefined >> k & 1) != 0 ? known & ~(1u << lane) : known | 1u << lane;
        }
        return;
    }
    if (undefined == 0) return bits->set(from, bytes);
    for (u32 k = 0; k < bytes; ++k)
        if ((undefined >> k & 1) != 0)
            bits->clear(from + k, 1);
        else
            bits->set(from + k, 1);
}

UndefinedOrigin& DefinedMemory::origin_at(const Warp& w, Space space, u32 lane, u64 address) {
    const u64 word = address / 4;
    if (space == Space::global) return global_origins_[word];
    BlockState& block = blocks_[w.block];
    if (space == Space::shared) return block.shared_origins[word];
    return block.local_origins[(u64{w.index} * lanes + lane) << 32 | word];
}

}  // namespace cugrade::emulator
