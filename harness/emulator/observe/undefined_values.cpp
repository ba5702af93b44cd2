#include "emulator/observe/undefined_values.hpp"

#include <algorithm>
#include <utility>

namespace cugrade::emulator {
namespace {

using ptx::Space;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

u32 all_of(u32 bytes) { return bytes >= 32 ? ~u32{0} : (u32{1} << bytes) - 1; }

}  // namespace

void UndefinedValues::launch_started(const Launch& launch) {
    launch_ = &launch;
    blocks_.clear();
    memory_.launch_started(launch);
    flow_.launch_started(launch);
}

void UndefinedValues::block_started(const Block& block) {
    memory_.block_started(block);
    BlockState& warps = blocks_[&block];
    warps.resize(block.warps.size());
    for (std::size_t n = 0; n < block.warps.size(); ++n) warps[n].reset(block.warps[n]);
}

// --- registers ----------------------------------------------------------------------------------

void UndefinedValues::add(const Warp& w, const Ins* i, u32 mask, const LaneOrigins& origins) {
    if (i->d == no_row) return;
    UndefinedRow row;
    row.bits.fill(0xFFFFFFFF);
    row.origin = origins;
    undefined_in(w).registers.set_row(w, i->d, 4, mask, row);
    follow(w);
}

void UndefinedValues::executed(const Warp& w, const Ins* i, u32 mask) {
    UndefinedWarp& undefined = undefined_in(w);
    flow_.step(undefined, w, i, mask);
    if (undefined.none()) w.block->warps[w.index].followed = false;
}

void UndefinedValues::passed(const Warp& w, const std::byte* to, const Area& to_area,
                             const std::byte* from, const Area& from_area) {
    UndefinedRegisters& registers = undefined_in(w).registers;
    // Word by word, as origins are kept.
    for (u32 at = 0; at + 4 <= std::min(to_area.bytes, from_area.bytes); at += 4)
        registers.set_area(w, to, to_area, at, 4, w.current.mask,
                           registers.area(w, from, from_area, at, 4));
}

void UndefinedValues::cleared(const Warp& w, const std::byte* frame,
                              const std::vector<Operand>& rows) {
    undefined_in(w).registers.define(w, frame, rows, w.current.mask);
}

void UndefinedValues::used(const Warp& w, const Ins* i, u32 lane, UndefinedOrigin origin,
                           ValueUse use) {
    finder_of(origin).used(w, i, lane, origin, use);
}

// --- memory -------------------------------------------------------------------------------------

void UndefinedValues::loaded(const Warp& w, const Ins* i, const Access& a,
                             const LaneBytes& missing) {
    if (a.kind == Access::Kind::atomic) return changes(w, i, a, missing);
    if (i->touch == Touch::async) {
        async_ = missing;
        async_origin_ = unwritten_->note_load(w, i, a, missing);
        return;
    }
    const u32 used_bytes = launch_->program->source_of(i).used_bytes;
    if (used_bytes == 0xFFFFFFFF) return load_to_registers(w, i, a, missing);
    LaneBytes wanted = missing;
    for (u32& bytes : wanted) bytes &= used_bytes;
    load_to_registers(w, i, a, wanted);
}

void UndefinedValues::load_to_registers(const Warp& w, const Ins* i, const Access& a,
                                        const LaneBytes& missing) {
    UndefinedOrigin origin = 0;
    UndefinedRow row;
    for_lanes(a.mask, [&](u32 l) {
        if (missing[l] == 0) return true;
        // A value that was undefined when it was stored there came from elsewhere.
        const auto first = static_cast<u32>(std::countr_zero(missing[l]));
        row.origin[l] = memory_.origin_at(w, a.space, l, a.address[l] + first);
        if (row.origin[l] != 0) return true;
        if (origin == 0) origin = unwritten_->note_load(w, i, a, missing);
        row.origin[l] = origin;
        return true;
    });
    UndefinedRegisters& registers = undefined_in(w).registers;
    u32 at = 0;
    for (const Operand& d : flow_.destinations(i)) {
        if (d.offset != no_row) {
            for_lanes(a.mask, [&](u32 l) {
                u64 bits = 0;
                for (u32 k = 0; k < i->bytes; ++k)
                    if ((missing[l] >> (at + k) & 1) != 0) bits |= u64{0xFF} << (8 * k);
                row.bits[l] = flow_.extended(i, bits);
                return true;
            });
            registers.set_row(w, d.offset, d.bytes, a.mask, row);
        }
        at += i->bytes;
    }
    if (!registers.none()) follow(w);
}

/// An atomic uses the word that it changes. But an exchange only replaces the word, and if the word
/// is written in part, an atomic that may change just that part is no use.
void UndefinedValues::changes(const Warp& w, const Ins* i, const Access& a,
                              const LaneBytes& missing) {
    const ptx::Instruction& source = launch_->program->source_of(i);
    if (source.has("exch")) return load_to_registers(w, i, a, missing);
    const bool by_part = source.has("cas") || source.has("and") || source.has("or") ||
                         source.has("xor") || a.elements > 1;
    const u32 all = all_of(a.bytes);
    UndefinedOrigin origin = 0;
    for_lanes(a.mask, [&](u32 l) {
        if (missing[l] == 0 || (by_part && missing[l] != all)) return true;
        if (origin == 0) origin = unwritten_->note_load(w, i, a, missing);
        return used(w, i, l, origin, ValueUse::atomic), true;
    });
}

/// Notes a store of registers, or of the bytes that cp.async has read.
void UndefinedValues::store(const Warp& w, const Ins* i, const Access& a) {
    if (i->touch != Touch::async) return store_registers(w, i, a);
    const LaneBytes undefined = std::exchange(async_, {});
    for_lanes(a.mask, [&](u32 l) {
        memory_.write(w, a.space, l, a.address[l], i->bytes, undefined[l], async_origin_);
        return true;
    });
}

void UndefinedValues::store_registers(const Warp& w, const Ins* i, const Access& a) {
    const UndefinedWarp& state = undefined_in(w);
    LaneOrigins origin{};
    LaneBytes undefined{};
    u32 at = 0;
    for (const Operand& s : flow_.sources(i)) {
        if (s.base == in_frame && s.offset != no_row && state.registers.is_tainted(w, s.offset)) {
            const UndefinedRow row = state.registers.row(w, s.offset, s.bytes);
            for (u32 l = 0; l < lanes; ++l)
                for (u32 k = 0; k < i->bytes; ++k) {
                    const u64 byte = row.bits[l] >> (8 * k) & 0xFF;
                    if (byte == 0) continue;
                    origin[l] = row.origin[l];
                    // In a value from unwritten memory, a byte that is undefined only in part holds
                    // a bit field.
                    if (byte == 0xFF || kind_of(row.origin[l]) != UndefinedKind::unwritten)
                        undefined[l] |= 1u << (at + k);
                }
        }
        at += i->bytes;
    }
    if (const u32 astray = state.astray.mask() & a.mask; astray != 0 && flow_.is_store(i))
        for_lanes(astray, [&](u32 l) {
            if (origin[l] != 0) return true;
            origin[l] = state.astray.origin(l);
            undefined[l] = all_of(a.bytes);
            return true;
        });
    for_lanes(a.mask, [&](u32 l) {
        const UndefinedStore s{l, a.bytes, undefined[l], origin[l]};
        if (s.origin != 0 && !finder_of(s.origin).is_mere_copy(w, i, a, s)) undefined[l] = 0;
        memory_.write(w, a.space, l, a.address[l], a.bytes, undefined[l], origin[l]);
        return true;
    });
}

/// A built-in function gets generic addresses, so find the space first.
void UndefinedValues::consumed(const Warp& w, const Ins* i, u32 lane, u64 address, u32 bytes) {
    constexpr u64 window_bytes = u64{1} << 32;
    Access a;
    a.mask = 1u << lane;
    a.bytes = bytes;
    a.space = Space::global;
    if (address - shared_window < window_bytes) {
        a.space = Space::shared;
        address -= shared_window;
    } else if (address - local_window < window_bytes) {
        a.space = Space::local;
        address -= local_window;
    }
    a.address[lane] = address;
    LaneBytes missing{};
    missing[lane] = memory_.missing(w, a.space, lane, address, bytes);
    if (missing[lane] == 0) return;
    const auto first = static_cast<u32>(std::countr_zero(missing[lane]));
    UndefinedOrigin origin = memory_.origin_at(w, a.space, lane, address + first);
    if (origin == 0) origin = unwritten_->note_load(w, i, a, missing);
    used(w, i, lane, origin, ValueUse::argument);
}

}  // namespace cugrade::emulator
