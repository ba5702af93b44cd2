// Which bits of a warp's registers are undefined, and where each undefined value came from.
//
// A shadow of the warp's frames has the same layout as they: a bit of the shadow is set if the
// register's bit is undefined. Beside it, by lane, a number says where the value came from. Most
// warps never hold an undefined bit, so the shadow is made when the first one comes, and `none` is
// one comparison.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/state/warp.hpp"

namespace cugrade::emulator {

/// Why a value is undefined.
enum class UndefinedKind : std::uint8_t {
    unwritten,  ///< loaded from memory that nobody has written
    shuffled,   ///< read from a lane that takes no part in the shuffle
    count,
};

/// Where an undefined value came from: its kind, a number from 1 that the finder of this kind
/// chose, and a flag. 0: the value is defined.
using UndefinedOrigin = std::uint32_t;
/// The value is the result of arithmetic, no mere copy.
constexpr UndefinedOrigin is_computed = 1u << 31;
constexpr std::uint32_t undefined_kind_at = 30;

constexpr UndefinedOrigin origin_of(UndefinedKind kind, std::uint32_t number) {
    return number | static_cast<std::uint32_t>(kind) << undefined_kind_at;
}
constexpr UndefinedKind kind_of(UndefinedOrigin origin) {
    return static_cast<UndefinedKind>(origin >> undefined_kind_at & 1);
}
constexpr std::uint32_t number_of(UndefinedOrigin origin) {
    return origin & ((1u << undefined_kind_at) - 1);
}
static_assert(static_cast<std::uint32_t>(UndefinedKind::count) <= 2);

using LaneOrigins = std::array<UndefinedOrigin, lanes>;

/// The undefined bits of a row, by lane.
struct UndefinedRow {
    std::array<std::uint64_t, lanes> bits{};
    LaneOrigins origin{};
    [[nodiscard]] bool any(std::uint32_t mask = all_lanes) const;
};

/// The undefined lanes of a predicate.
struct UndefinedPredicate {
    std::uint32_t bits = 0;
    LaneOrigins origin{};  ///< of lanes whose bit is set
};

class UndefinedRegisters {
public:
    /// Empties the shadow, for a warp whose block starts.
    void reset(const Warp&);
    [[nodiscard]] bool none() const { return tainted_ == 0; }

    /// A row has `bytes` (4 or 8) for each lane, and lies at an offset of the current frame.
    [[nodiscard]] bool is_tainted(const Warp& w, std::uint32_t offset) const {
        return is_tainted_at(position(w, w.bases[in_frame] + offset));
    }
    [[nodiscard]] UndefinedRow row(const Warp&, std::uint32_t offset, std::uint32_t bytes) const;
    void set_row(const Warp& w, std::uint32_t offset, std::uint32_t bytes, std::uint32_t mask,
                 const UndefinedRow& r) {
        set_row_at(w, w.bases[in_frame] + offset, bytes, mask, r);
    }
    /// Makes the rows of a callee's frame defined for the lanes in `mask`.
    void define(const Warp&, const std::byte* frame, const std::vector<Operand>& rows,
                std::uint32_t mask);
    [[nodiscard]] UndefinedPredicate predicate(const Warp&, std::uint32_t offset) const;
    void set_predicate(const Warp& w, std::uint32_t offset, std::uint32_t mask,
                       const UndefinedPredicate& p) {
        set_predicate_at(w, w.bases[in_frame] + offset, mask, p);
    }

    /// Of a parameter area, the bytes [at, at + bytes) of each lane.
    [[nodiscard]] UndefinedRow area(const Warp&, const std::byte* frame, const Area&,
                                    std::uint32_t at, std::uint32_t bytes) const;
    void set_area(const Warp&, const std::byte* frame, const Area&, std::uint32_t at,
                  std::uint32_t bytes, std::uint32_t mask, const UndefinedRow&);

private:
    static constexpr std::size_t line_bytes = 64;

    [[nodiscard]] std::size_t position(const Warp& w, const std::byte* p) const {
        const auto from_start = static_cast<std::size_t>(p - w.frame0);
        return from_start < frame_bytes_ ? from_start
                                         : frame_bytes_ + static_cast<std::size_t>(p - w.stack);
    }
    [[nodiscard]] bool is_tainted_at(std::size_t at) const {
        const std::size_t line = at / line_bytes;
        return line < is_tainted_.size() && is_tainted_[line] != 0;
    }
    void set_row_at(const Warp&, const std::byte* row, std::uint32_t bytes, std::uint32_t mask,
                    const UndefinedRow&);
    void set_predicate_at(const Warp&, const std::byte* word, std::uint32_t mask,
                          const UndefinedPredicate&);
    void reserve(std::size_t end);
    /// Notes whether any of the bytes from a position on has an undefined bit.
    void note(std::size_t at, std::size_t bytes);

    std::size_t frame_bytes_ = 0;
    std::size_t tainted_ = 0;  ///< lines
    /// By line: has the row that begins there, or a predicate in the line, undefined bits?
    std::vector<std::uint8_t> is_tainted_;
    std::vector<std::byte> bits_;
    std::vector<UndefinedOrigin> origins_;  ///< by 4 bytes, of rows and parameters
    std::unordered_map<std::size_t, LaneOrigins> predicate_origins_;  ///< by position
};

}  // namespace cugrade::emulator
