// Tells from a function's PTX what its loads and stores are for.
//
// Theory of operation. An access may be part of something larger: a loop around atomicCAS, a loop
// that waits for a flag, `*p = *p + 1`. The code shows this; the instructions that happen to run do
// not. So registers are followed back through the instructions that set them. Two places are the
// same if both are the same distance from the same register or variable. Calls, values from memory
// and addresses that are computed twice cannot be followed, so such accesses are not recognised.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/observe/value_sources.hpp"
#include "emulator/state/warp.hpp"

namespace cugrade::emulator {

/// How a stored value depends on a value that was loaded from the same place.
enum class Update : std::uint8_t {
    none,
    /// `*p |= 2`, `*p = max(*p, v)`: done twice, it is the same as once.
    idempotent,
    changing,  ///< `*p = *p + 1`
};

/// An atomic that takes a lock: atomicCAS from one constant to another, or atomicExch of one that
/// is not 0.
struct LockTaking {
    bool by_exchange = false;
    /// The lock's word while the lock is free; by exchange, while the lock is taken.
    std::uint64_t value = 0;
    /// Does the atomic take the lock if it finds `word` there?
    [[nodiscard]] bool succeeds(std::uint64_t word) const { return (word == value) != by_exchange; }
};

/// One statement reads a word, changes it and writes it back: `*p += v`, `if (v > *p) *p = v`.
struct InPlace {
    Update update = Update::none;
    bool by_choice = false;  ///< the value that was read decides whether the word is written
    std::vector<std::uint32_t> loads;  ///< loads of the word, as instructions of the function
    std::string_view opcode;  ///< of the instruction that changes the word, if it is only one
};

/// Answers for the program of one launch. Instructions are named by their index in Program::code.
class Idioms {
public:
    void launch_started(const Program& program);
    /// Does it load from a place that an atomicCAS of the same function changes?
    bool is_for_cas(std::uint32_t code);
    /// Does it load from a place for which a loop of the same function waits: a loop that loads
    /// from there and writes nothing?
    bool polls(std::uint32_t code);
    /// How the value of a store depends on the value that it replaces.
    Update update_of(std::uint32_t code);
    /// Which atomic to use, if both accesses belong to one statement that changes a word in place
    /// and only an atomic can keep its threads apart; otherwise empty. `exact`: one known thread
    /// did `other`, not one of several threads that share an epoch.
    const std::string& missing_atomic(std::uint32_t code, std::uint32_t other, bool exact);
    /// Threads have stored equal values to one place. May the values differ with other data?
    bool may_differ(std::uint32_t store, bool other_block);
    /// How the atomic takes a lock; nullptr if it takes none.
    const LockTaking* lock_taking(std::uint32_t code);

private:
    const InPlace& in_place(const ptx::Function& function, std::uint32_t store);
    std::string find_missing_atomic(std::uint32_t code, std::uint32_t other, bool exact);
    ValueSources& sources_in(const ptx::Function&);

    const Program* program_ = nullptr;
    std::unordered_map<std::uint32_t, bool> for_cas_, polls_;
    std::unordered_map<std::uint32_t, Update> updates_;
    std::map<const ptx::Function*, ValueSources> value_sources_;
    std::map<std::pair<const ptx::Function*, std::uint32_t>, InPlace> in_place_;
    std::unordered_map<std::uint64_t, std::string> missing_atomics_;
    std::unordered_map<std::uint64_t, bool> may_differ_;
    std::unordered_map<std::uint32_t, std::optional<LockTaking>> lock_takings_;
};

}  // namespace cugrade::emulator
