// Comparisons as the source has them.
//
// The source's comparison is not always the PTX's: `if (i < n)` becomes a branch past the body for
// `i >= n`. Where the predicate guards a branch forwards, or its negation one backwards, the PTX
// has the opposite of what the source says.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

struct Relation {
    std::string_view name, symbol;
    std::string_view with_equality_changed;  ///< empty: an equality
    std::string_view turned;
    std::string_view opposite;
    bool strict = false;
    bool less = false;  ///< than the limit
};
/// nullptr: there is none.
[[nodiscard]] const Relation* relation_named(std::string_view name);

/// What is compared with what, and how.
struct Comparison {
    const Relation* relation = nullptr;
    ptx::Type type = ptx::Type::none;
    std::uint32_t limit = 0;  ///< number of the second operand; the first is before it
};
[[nodiscard]] std::optional<Comparison> comparison_of(const ptx::Instruction&);

/// For each predicate, whether the branch that it decides makes the source's condition the opposite
/// of it.
[[nodiscard]] std::vector<bool> opposites(const ptx::Function&);
/// `opposite`: those of the function.
[[nodiscard]] const Relation& in_source(const Comparison&, const ptx::Function&,
                                        const ptx::Instruction&, const std::vector<bool>& opposite);

}  // namespace cugrade::emulator
