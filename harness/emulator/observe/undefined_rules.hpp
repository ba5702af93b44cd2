// Finds the rule by which an instruction passes undefined bits on.
#pragma once

#include "emulator/observe/undefined_flow.hpp"

namespace cugrade::emulator {

/// The bits of a register of 4 or 8 bytes.
constexpr std::uint64_t all_bits(std::uint32_t bytes) {
    return bytes == 8 ? ~std::uint64_t{0} : 0xFFFFFFFF;
}
/// Is it `setp p|q`, which sets q to the contrary of p? See compare.cpp.
inline bool has_second_predicate(const Ins* i) { return (i->aux & 32) != 0; }

/// `masked` is the instruction's own handler for a diverged warp: it tells how wide its result is.
[[nodiscard]] FlowRule flow_rule_of(const Program&, const Ins*, Handler masked);

}  // namespace cugrade::emulator
