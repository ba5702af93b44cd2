// Knows how instructions pass undefined bits on from register to register, and which instructions
// use a value.
//
// Theory of operation. Right programs compute with undefined values, too, and then drop them: the
// padding of a structure, or the sums in the tail of a tree of shuffles, where only lane 0's sum is
// wanted. So to have an undefined value is no error; to use it is. One set of rules holds for all
// kinds of undefined values. Copies, bit fields, shifts and logic are exact to the bit: undefined
// bits that are masked away are gone, and a selection has the bits of the operand that it selects.
// Sums and products make undefined all bits from the lowest undefined one up. Other arithmetic
// makes all of its result undefined. A comparison is defined if no value of the undefined bits
// changes its result.
//
// An instruction uses a value as an address, at a barrier, as an argument of a built-in function or
// as an operand of an atomic. The kinds differ only in branches and guards. A value from memory
// that nobody has written is garbage, so a branch or a guard that depends on it uses it. In a tree
// of shuffles all lanes compare the values that they get, also those lanes that nobody asks any
// more. So a lane that branches on such a value goes astray until the place where both ways meet
// again: all that it sets on its way is undefined, and what it stores, changes or prints there is a
// use. A guard does the same for one instruction.
//
// Memory is not known here: see UndefinedValues.
#pragma once

#include <vector>

#include "emulator/observe/undefined_registers.hpp"
#include "emulator/ops/table.hpp"

namespace cugrade::emulator {

/// What a value is used for.
enum class ValueUse : std::uint8_t {
    branch,
    guard,
    address,
    callee,
    barrier,
    argument,
    atomic_operand,
    stored,
    atomic,  ///< the word that an atomic changes
    count,
};

/// How an instruction passes undefined bits on.
struct FlowRule {
    enum class Way : std::uint8_t {
        unknown,
        nothing,
        defines,  ///< all of d
        moves,    ///< bits of the data operands, as the operation itself moves bits
        bit_and,
        bit_or,
        bit_xor,
        bit_table,  ///< lop3
        selects,    ///< a or b by the predicate c
        packs,
        sums,  ///< carries go up
        computes,
        compares,  ///< to a predicate
        sets,      ///< to a row
        defines_predicate,
        copies_predicate,
        ands_predicates,
        ors_predicates,
        xors_predicates,
        tests_space,
        branches,
        jumps,
        calls_indirect,
        calls_builtin,
        waits,
        exchanges,
        loads,
        stores,
        changes,
        copies_async,
        loads_parameter,
        stores_parameter,
    };
    Way way = Way::unknown;
    std::uint8_t d = 0, a = 0, b = 0, c = 0;  ///< bytes of a lane; 0: no row
    std::uint8_t data = 0;     ///< of moves, bit n: operand n is moved; the others say how
    std::uint8_t element = 0;  ///< bytes of an element in memory
    std::uint64_t used_bits = ~std::uint64_t{0};  ///< of an operand, by its type
    bool is_signed = false, is_integer = false, is_shift = false;
    Compare compare = Compare::eq;
};

/// The lanes of a warp whose way depends on an undefined value.
class AstrayLanes {
public:
    void reset() { mask_ = 0; }
    [[nodiscard]] std::uint32_t mask() const { return mask_; }
    [[nodiscard]] UndefinedOrigin origin(std::uint32_t lane) const { return lanes_[lane].origin; }
    /// Does nothing if the lane is astray already.
    void go_astray(const Warp&, const Ins* branch, std::uint32_t lane, UndefinedOrigin);
    /// Brings back the current lanes for which both ways meet at the instruction.
    void bring_back(const Warp&, const Ins*);

private:
    struct Lane {
        UndefinedOrigin origin = 0;
        std::uint32_t until = 0;  ///< index in Program::code, or no_meeting: the function's end
        std::size_t depth = 0;    ///< of calls
    };
    std::uint32_t mask_ = 0;
    std::array<Lane, lanes> lanes_;
};

/// The undefined registers and the astray lanes of a warp.
struct UndefinedWarp {
    UndefinedRegisters registers;
    AstrayLanes astray;

    void reset(const Warp& w) {
        registers.reset(w);
        astray.reset();
    }
    [[nodiscard]] bool none() const { return registers.none() && astray.mask() == 0; }
};

class UndefinedFlow {
public:
    /// Is told of uses, by lane.
    class Uses {
    public:
        virtual void used(const Warp&, const Ins*, std::uint32_t lane, UndefinedOrigin,
                          ValueUse) = 0;

    protected:
        ~Uses() = default;
    };
    explicit UndefinedFlow(Uses& uses) : uses_(uses) {}

    void launch_started(const Launch&);
    /// To be called before the instruction runs for the lanes in `mask`. Looks at the addresses of
    /// loads and stores, not at memory; destinations of loads become defined.
    void step(UndefinedWarp&, const Warp&, const Ins*, std::uint32_t mask);
    /// To be called before the lanes of the group exchange values in a warp-level instruction.
    void exchange(UndefinedWarp&, const Warp&, const Ins*, std::uint32_t group);

    /// The destination rows of a load, by element.
    [[nodiscard]] std::vector<Operand> destinations(const Ins*);
    /// The rows that a store writes to memory, by element.
    [[nodiscard]] std::vector<Operand> sources(const Ins*);
    /// The undefined bits of a register from those of the element that is loaded into it. If the
    /// load extends the sign, it repeats the sign's bit.
    [[nodiscard]] std::uint64_t extended(const Ins*, std::uint64_t bits);
    /// Does it store registers, to memory that is no parameter?
    [[nodiscard]] bool is_store(const Ins*);

private:
    const FlowRule& rule(const Ins*);
    [[nodiscard]] static std::uint64_t value_of(const Warp&, std::uint8_t base,
                                                std::uint32_t offset, std::uint32_t bytes,
                                                std::uint32_t lane);
    [[nodiscard]] UndefinedRow operand(const Warp&, std::uint8_t base, std::uint32_t offset,
                                       std::uint32_t bytes) const;
    void use_row(const Warp&, const Ins*, std::uint32_t mask, const UndefinedRow&, ValueUse);
    void use_operand(const Warp&, const Ins*, std::uint32_t mask, Operand, ValueUse);
    void use_predicate(const Warp&, const Ins*, std::uint32_t mask, std::uint32_t offset, ValueUse);
    void use_arguments(const Warp&, const Ins*, std::uint32_t mask);
    void use_astray(const Warp&, const Ins*, std::uint32_t mask, ValueUse);
    void follow(const Warp&, const Ins*, const FlowRule&, std::uint32_t mask);
    void touch_memory(const Warp&, const Ins*, const FlowRule&, std::uint32_t mask);
    void wait(const Warp&, const Ins*, std::uint32_t mask);
    void test_space(const Warp&, const Ins*, std::uint32_t mask);
    void branch(const Warp&, const Ins*, std::uint32_t mask, const LaneOrigins&);
    void obey_guard(const Warp&, const Ins*, const FlowRule&);
    void set_results(const Warp&, const Ins*, const FlowRule&, std::uint32_t mask,
                     const LaneOrigins&);
    void set_row(const Warp&, Operand, std::uint32_t mask, const LaneOrigins&);
    void set_predicate(const Warp&, std::uint32_t offset, std::uint32_t mask, const LaneOrigins&);
    void set_astray(const Warp&, const Ins*, const FlowRule&, std::uint32_t mask);
    [[nodiscard]] bool touches_undefined(const Warp&, const Ins*, const FlowRule&) const;
    [[nodiscard]] UndefinedRow result_of(const Warp&, const Ins*, const FlowRule&);
    [[nodiscard]] UndefinedRow moved(const Warp&, const Ins*, const FlowRule&);
    [[nodiscard]] UndefinedRow combined(const Warp&, const Ins*, const FlowRule&) const;
    [[nodiscard]] UndefinedRow selected(const Warp&, const Ins*, const FlowRule&) const;
    [[nodiscard]] UndefinedRow packed(const Warp&, const Ins*, const FlowRule&) const;
    [[nodiscard]] UndefinedRow computed(const Warp&, const Ins*, const FlowRule&) const;
    void compare(const Warp&, const Ins*, const FlowRule&, std::uint32_t mask);
    void combine_predicates(const Warp&, const Ins*, const FlowRule&, std::uint32_t mask);
    void pass_parameter(const Warp&, const Ins*, const FlowRule&, std::uint32_t mask);
    void shuffle(const Warp&, const Ins*, std::uint32_t group);
    void vote(const Warp&, const Ins*, std::uint32_t group);
    void reduce(const Warp&, const Ins*, std::uint32_t group, std::uint32_t bytes);
    void multiply_matrices(const Warp&, const Ins*);

    Uses& uses_;
    UndefinedRegisters* regs_ = nullptr;  ///< of the warp that steps
    AstrayLanes* astray_ = nullptr;       ///< of the same
    const Launch* launch_ = nullptr;
    std::vector<FlowRule> rules_;  ///< by index in Program::code; made when first asked for
    Warp mirror_;                  ///< runs operations on undefined bits
};

}  // namespace cugrade::emulator
