#include "emulator/observe/undefined_registers.hpp"

#include <algorithm>

namespace cugrade::emulator {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

}  // namespace

bool UndefinedRow::any(u32 mask) const {
    u64 all = 0;
    for (u32 l = 0; l < lanes; ++l) all |= (mask >> l & 1) != 0 ? bits[l] : 0;
    return all != 0;
}

void UndefinedRegisters::reset(const Warp& w) {
    frame_bytes_ = w.launch->kernel->frame_bytes;
    tainted_ = 0;
    is_tainted_.clear();
    bits_.clear();
    origins_.clear();
    predicate_origins_.clear();
}

void UndefinedRegisters::reserve(std::size_t end) {
    if (end <= bits_.size()) return;
    end = (end + end / 2 + line_bytes) / line_bytes * line_bytes;
    bits_.resize(end);
    origins_.resize(end / 4);
    is_tainted_.resize(end / line_bytes);
}

void UndefinedRegisters::note(std::size_t at, std::size_t bytes) {
    const auto first = bits_.begin() + static_cast<std::ptrdiff_t>(at);
    const bool any = std::any_of(first, first + static_cast<std::ptrdiff_t>(bytes),
                                 [](std::byte b) { return b != std::byte{0}; });
    std::uint8_t& known = is_tainted_[at / line_bytes];
    tainted_ += any ? 1u : 0u;
    tainted_ -= known;
    known = any ? 1 : 0;
}

UndefinedRow UndefinedRegisters::row(const Warp& w, u32 offset, u32 bytes) const {
    UndefinedRow r;
    if (!is_tainted(w, offset)) return r;
    const std::size_t at = position(w, w.bases[in_frame] + offset);
    for (u32 l = 0; l < lanes; ++l) {
        std::memcpy(&r.bits[l], bits_.data() + at + std::size_t{l} * bytes, bytes);
        r.origin[l] = origins_[(at + std::size_t{l} * bytes) / 4];
    }
    return r;
}

void UndefinedRegisters::set_row_at(const Warp& w, const std::byte* row, u32 bytes, u32 mask,
                                    const UndefinedRow& r) {
    const std::size_t at = position(w, row);
    if (!is_tainted_at(at) && !r.any(mask)) return;
    reserve(at + std::size_t{lanes} * bytes);
    for_lanes(mask, [&](u32 l) {
        std::memcpy(bits_.data() + at + std::size_t{l} * bytes, &r.bits[l], bytes);
        origins_[(at + std::size_t{l} * bytes) / 4] = r.origin[l];
        return true;
    });
    note(at, std::size_t{lanes} * bytes);
}

UndefinedPredicate UndefinedRegisters::predicate(const Warp& w, u32 offset) const {
    UndefinedPredicate p;
    if (!is_tainted(w, offset)) return p;
    const std::size_t at = position(w, w.bases[in_frame] + offset);
    std::memcpy(&p.bits, bits_.data() + at, 4);
    // Bits without origins are left over from another function's rows, in lanes that do not read
    // the predicate.
    if (const auto known = predicate_origins_.find(at); known != predicate_origins_.end())
        p.origin = known->second;
    return p;
}

void UndefinedRegisters::set_predicate_at(const Warp& w, const std::byte* word, u32 mask,
                                          const UndefinedPredicate& p) {
    const std::size_t at = position(w, word);
    if (!is_tainted_at(at) && (p.bits & mask) == 0) return;
    reserve(at + 4);
    u32 bits = 0;
    std::memcpy(&bits, bits_.data() + at, 4);
    bits = (bits & ~mask) | (p.bits & mask);
    std::memcpy(bits_.data() + at, &bits, 4);
    if ((p.bits & mask) != 0) {
        LaneOrigins& origins = predicate_origins_[at];
        for_lanes(p.bits & mask, [&](u32 l) { return origins[l] = p.origin[l], true; });
    }
    note(at / line_bytes * line_bytes, line_bytes);
}

void UndefinedRegisters::define(const Warp& w, const std::byte* frame,
                                const std::vector<Operand>& rows, u32 mask) {
    for (const Operand& row : rows)
        if (row.bytes == 0)
            set_predicate_at(w, frame + row.offset, mask, {});
        else
            set_row_at(w, frame + row.offset, row.bytes, mask, {});
}

UndefinedRow UndefinedRegisters::area(const Warp& w, const std::byte* frame, const Area& area,
                                      u32 from, u32 bytes) const {
    UndefinedRow r;
    const std::size_t at = position(w, frame + area.offset);
    if (!is_tainted_at(at)) return r;
    for (u32 l = 0; l < lanes; ++l) {
        const std::size_t here = at + std::size_t{l} * area.bytes + from;
        std::memcpy(&r.bits[l], bits_.data() + here, bytes);
        r.origin[l] = origins_[here / 4];
    }
    return r;
}

void UndefinedRegisters::set_area(const Warp& w, const std::byte* frame, const Area& area, u32 from,
                                  u32 bytes, u32 mask, const UndefinedRow& r) {
    const std::size_t at = position(w, frame + area.offset), size = std::size_t{lanes} * area.bytes;
    if (size == 0 || (!is_tainted_at(at) && !r.any(mask))) return;
    reserve(at + size);
    for_lanes(mask, [&](u32 l) {
        const std::size_t here = at + std::size_t{l} * area.bytes + from;
        std::memcpy(bits_.data() + here, &r.bits[l], bytes);
        // A piece of less than a word may share its word, and so its origin, with an undefined one.
        if (r.bits[l] != 0) origins_[here / 4] = r.origin[l];
        return true;
    });
    note(at, size);
}

}  // namespace cugrade::emulator
