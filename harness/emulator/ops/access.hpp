// Checks the lanes' addresses of a memory instruction, for loads, stores and atomics.
//
// The common case is checked for all lanes at once: every address is aligned and lies inside the
// range that this instruction hit last (for shared memory: the block's). Otherwise `translate`
// takes the lanes one by one; it knows all windows and words the faults.
#pragma once

#include <algorithm>

#include "emulator/ops/lane_loops.hpp"
#include "emulator/state/polling.hpp"

namespace cugrade::emulator {

/// Lane addresses: row of 32- or 64-bit addresses plus the instruction's offset.
template <class A>
struct Addresses {
    Row<A> row;
    u64 offset;
    [[nodiscard]] u64 at(u32 lane) const {
        // 32-bit addresses wrap at 32 bits, as the hardware's do.
        if constexpr (sizeof(A) == 4)
            return static_cast<u32>(row.get(lane) + static_cast<u32>(offset));
        else
            return row.get(lane) + offset;
    }
};

template <class A>
Addresses<A> addresses(const Warp& w, const Ins* i) {
    return {w.a<A>(i), static_cast<u64>(i->imm)};
}

/// True if every lane's address is base + lane * step.
template <class A>
bool consecutive(const Addresses<A>& at, u32 step) {
    const A first = at.row.get(0);
    A different = 0;
    for (u32 l = 0; l < lanes; ++l)
        different |= static_cast<A>(at.row.get(l) - first) ^ static_cast<A>(l * step);
    return different == 0;
}

template <class A>
bool uniform(const Addresses<A>& at) {
    const A first = at.row.get(0);
    if (at.row.get(lanes - 1) != first) return false;
    A different = 0;
    for (u32 l = 0; l < lanes; ++l) different |= at.row.get(l) ^ first;
    return different == 0;
}

/// True if all 32 addresses are aligned to `bytes` and in [lo, lo + size).
template <class A>
bool all_inside(const Addresses<A>& at, u64 lo, u64 size, u64 bytes) {
    if (size < bytes) return false;
    using U = std::conditional_t<sizeof(A) == 4, u32, u64>;
    const U shift = static_cast<U>(at.offset - lo);
    const U limit = static_cast<U>(size - bytes);
    U low_bits = 0;
    u32 outside = 0;
    for (u32 l = 0; l < lanes; ++l) {
        const U distance = static_cast<U>(at.row.get(l) + shift);
        outside |= distance > limit ? 1u : 0u;
        low_bits |= static_cast<U>(at.row.get(l) + static_cast<U>(at.offset));
    }
    return outside == 0 && (low_bits & (bytes - 1)) == 0;
}

constexpr u64 no_address = ~u64{0};
/// The address that all active lanes share; `no_address` if they differ, or if the grid is not
/// cooperative, so that its warps are never parked.
template <class A>
u64 polled_address(const Warp& w, const Addresses<A>& at) {
    if (!w.launch->is_cooperative || w.current.mask == 0) return no_address;
    const u64 address = at.at(w.first_lane());
    const bool same = for_lanes(w.current.mask, [&](u32 l) { return at.at(l) == address; });
    return same ? address : no_address;
}
/// Notes a load that may wait for other threads, as it does in a loop.
template <class A>
void note_sync(Warp& w, const Ins* i, const Addresses<A>& at, u32 bytes) {
    ++w.launch->sync_operations;
    const u64 address = polled_address(w, at);
    if (address != no_address) note_poll(w, i, address, bytes);
}

/// The range that holds the address: the one that the instruction hit last, or a new one from the
/// allocation table.
inline const Range& range_for(const Warp& w, const Ins* i, u64 address) {
    Launch& launch = *w.launch;
    Range& range = launch.ranges[i->range];
    if (!range.holds(address, 1) && address >= Memory::device_base)
        range = find_range(launch, i, address);
    return range;
}

/// Range::written has a bit per byte, and before them, from the last to the first, a byte per piece
/// that tells whether any of its bits is set.
constexpr u64 written_piece = 4096;
inline std::uint8_t& touched_piece(u64* written, u64 piece) {
    return *(reinterpret_cast<std::uint8_t*>(written) - 1 - piece);
}

/// Notes that `bytes` bytes at the offset were stored to.
inline void note_written(u64* written, u64 offset, u64 bytes) {
    touched_piece(written, offset / written_piece) = 1;
    touched_piece(written, (offset + bytes - 1) / written_piece) = 1;
    while (bytes != 0) {
        const u64 shift = offset % 64, n = std::min(bytes, 64 - shift);
        written[offset / 64] |= (n == 64 ? ~u64{0} : (u64{1} << n) - 1) << shift;
        offset += n;
        bytes -= n;
    }
}

/// Where a full warp's addresses may lie: [lo, lo + size). An address plus `bias` is its host
/// address. The bias is a number, because as a pointer it would point outside any object.
struct Region {
    u64 lo = 0, size = 0;
    std::uintptr_t bias = 0;
    u64* written = nullptr;  ///< Range::written
    [[nodiscard]] std::byte* host(u64 address) const {
        return reinterpret_cast<std::byte*>(bias + address);
    }
};
template <bool shared>
Region region_for(const Warp& w, const Ins* i, u64 address) {
    if constexpr (shared)
        return {0, w.launch->shared_bytes, reinterpret_cast<std::uintptr_t>(w.block->shared)};
    const Range& range = range_for(w, i, address);
    return {range.lo, range.bytes, range.bias, range.written};
}

}  // namespace cugrade::emulator
