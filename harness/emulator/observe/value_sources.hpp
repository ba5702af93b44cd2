// Where a value comes from, as far as its function's PTX tells: from constants and the kernel's
// parameters, from the thread's place in the grid, or from memory.
//
// Theory of operation. Registers are followed back through all instructions that set them, in
// whatever order these run. A load adds the sources of its address: threads that read one address
// get one value, threads that read different addresses may get different values. If several
// instructions set a register, the branches that choose between them count, too. A value that goes
// through calls, local memory or other lanes is unknown, and no finding is made of it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "emulator/ptx/module.hpp"

namespace cugrade::emulator {

struct Sources {
    bool thread = false;    ///< the thread's place in its block, or a clock
    bool block = false;     ///< the block's place in the grid
    bool data = false;      ///< memory, from an address that differs between threads
    bool changing = false;  ///< memory that other threads change: volatile, atomics
    bool unknown = false;
    bool folded = false;  ///< the thread's place was divided, so several threads have one number
    bool stride = false;  ///< a number that a loop halves or doubles
    /// Parameters and variables from whose memory a value was read; for an address, those from
    /// which it is counted.
    std::set<std::string_view> roots;
    void add(const Sources&);
};

class ValueSources {
public:
    explicit ValueSources(const ptx::Function&);
    /// The sources of the value that a store stores.
    [[nodiscard]] Sources of_value(std::uint32_t store);
    /// The sources of the address of a load or a store.
    [[nodiscard]] Sources of_address(std::uint32_t access);
    /// May threads that store to one place store different values? Not if the value depends only on
    /// the place's index and on values that all threads share. A value that comes from the same
    /// array gets the benefit of the doubt: in a breadth-first search many threads write
    /// `level[next] = level[mine] + 1`, and all threads of a level write the same.
    [[nodiscard]] bool may_differ(std::uint32_t store, bool other_block);

private:
    struct Walk;
    void follow(Walk&, std::int32_t reg);
    void follow_operand(Walk&, const ptx::Operand&);
    void follow_definition(Walk&, std::uint32_t instruction);
    void follow_load(Walk&, std::uint32_t instruction);
    void follow_choices(Walk&, std::uint32_t definition);
    [[nodiscard]] bool is_scaled(std::int32_t reg) const;
    [[nodiscard]] bool varies(std::int32_t reg);
    [[nodiscard]] std::set<std::int32_t> whole_of_place(std::uint32_t store);
    Sources address_without(std::uint32_t access, const std::set<std::int32_t>& given);
    Sources value_without(std::uint32_t store, const std::set<std::int32_t>& given);
    [[nodiscard]] const ptx::Operand& operand(const ptx::Instruction& i, std::uint32_t n) const {
        return function_.operands[i.first_operand + n];
    }

    const ptx::Function& function_;
    std::vector<std::vector<std::uint32_t>> definitions_;  ///< by register
    std::vector<std::uint32_t> branches_;                  ///< branches that have a guard
    std::set<std::int32_t> open_;                 ///< accesses whose addresses are being followed
    std::map<std::uint32_t, Sources> addresses_;  ///< of_address
    std::map<std::uint32_t, Sources> given_addresses_;  ///< the same for the last value_without
};

}  // namespace cugrade::emulator
