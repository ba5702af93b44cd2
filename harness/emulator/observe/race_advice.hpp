// What a student is told to do about a race.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/findings/finding.hpp"

namespace cugrade::emulator {

/// Why the two accesses race, where the kind of the finding does not tell.
enum class RaceCause : std::uint8_t {
    unordered,
    narrow_scope,   ///< an atomic of the block's scope met another block
    no_fence,       ///< a flag or a lock was read and no fence has followed
    no_atomic,      ///< one statement reads, changes and writes the word
    lock_in_vain,   ///< the thread holds a lock, but the lock does not order the two
    equal_by_luck,  ///< both store the same value, which may differ with other data
    equal_always,
    unfenced_lock,  ///< the other thread has taken its lock without a fence
    unfenced_flag,  ///< the other thread has set a flag without a fence in front
};

/// The end of a finding's message. For `no_atomic`, `atomic` names what replaces the statement.
[[nodiscard]] std::string advice_for(FindingKind, RaceCause, bool same_block,
                                     std::string_view atomic);

}  // namespace cugrade::emulator
