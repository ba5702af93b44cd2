// What a load or a store is there for, as far as its function's PTX tells.
//
// Theory of operation. Whether an access is meant to be part of something larger (a loop around
// atomicCAS, a loop that waits for a flag, `*p = *p + 1`) shows in the code and not in what happens
// to run. Registers are followed back through the instructions that set them, and places are
// compared as they are written: a register or a variable, and a distance from it. What cannot be
// followed (calls, memory, an address that is computed twice) is not recognised.
#pragma once

#include <unordered_map>

#include "emulator/exec/warp.hpp"

namespace cugrade::emulator {

/// How what is stored depends on what was loaded from the same place.
enum class Update : std::uint8_t {
    none,
    /// `*p |= 2`, `*p = max(*p, v)`: done twice, it is the same as once.
    idempotent,
    changing,  ///< `*p = *p + 1`
};

/// Of the program of one launch; instructions by their index in Program::code.
class Idioms {
public:
    void launch_started(const Program& program);
    /// A load from where an atomicCAS of the same function goes.
    bool is_for_cas(std::uint32_t code);
    /// A load from where a loop of the same function that writes nothing loads.
    bool polls(std::uint32_t code);
    /// Of a store.
    Update update_of(std::uint32_t code);

private:
    const Program* program_ = nullptr;
    std::unordered_map<std::uint32_t, bool> for_cas_, polls_;
    std::unordered_map<std::uint32_t, Update> updates_;
};

}  // namespace cugrade::emulator
