#include "emulator/observe/waits.hpp"

#include <algorithm>
#include <unordered_map>

#include "emulator/decode/decoder.hpp"
#include "emulator/decode/opcodes.hpp"

namespace cugrade::emulator {
namespace {

/// How many waits came before a value.
using Level = Waits;

void raise(Level& to, const Level& o) {
    to.global = std::max(to.global, o.global);
    to.shared = std::max(to.shared, o.shared);
}

/// One basic block, instruction by instruction.
class BlockLevels {
public:
    BlockLevels(const ptx::Function& f, const std::vector<bool>& used) : f_(f), used_(used) {}

    /// Returns the level of a load.
    Level add(const ptx::Instruction& i) {
        const Effects effects = effects_of(f_, i);
        Level in;
        for (const std::int32_t r : effects.uses)
            if (const auto found = registers_.find(r); found != registers_.end())
                raise(in, found->second);
        raise(consumed_, in);
        // An atomic whose result nobody reads becomes a reduction, which nothing waits for.
        const Opcode& opcode = opcode_of(i);
        const bool is_load = opcode.memory == MemoryUse::loads ||
                             (opcode.memory == MemoryUse::changes &&
                              std::ranges::any_of(effects.defs, [&](std::int32_t r) {
                                  return used_[static_cast<std::size_t>(r)];
                              }));
        const bool is_shared = i.has("shared") || i.has("shared::cta");
        Level out = in, own;
        if (is_load && !i.has("param") && !i.has("const")) {
            if (is_shared)
                out.shared = std::max(in.shared, floor_.shared) + 1;
            else
                out.global = std::max(in.global, i.has("nc") ? 0 : floor_.global) + 1;
            (is_shared ? own.shared : own.global) = is_shared ? out.shared : out.global;
            raise(most_, out);
        }
        for (const std::int32_t r : effects.defs) registers_[r] = out;
        const bool orders_all =
            is_barrier(opcode) || is_fence(opcode) || opcode.control == Control::calls;
        const bool orders = opcode.memory == MemoryUse::stores || is_atomic(opcode) ||
                            i.has("volatile") || i.has("acquire") || i.has("relaxed");
        if (orders_all || (orders && is_shared))
            floor_.shared = std::max(floor_.shared, consumed_.shared);
        if (orders_all || (orders && !is_shared))
            floor_.global = std::max(floor_.global, consumed_.global);
        return own;
    }
    [[nodiscard]] const Level& most() const { return most_; }

private:
    const ptx::Function& f_;
    const std::vector<bool>& used_;  ///< registers that anything reads
    std::unordered_map<std::int32_t, Level> registers_;
    Level consumed_;  ///< the level for which the instructions so far have waited
    Level floor_;     ///< where loads start that may not pass earlier accesses
    Level most_;
};

}  // namespace

WaitsOfFunction waits_of(const ptx::Function& f) {
    const std::size_t count = f.instructions.size();
    WaitsOfFunction out{std::vector<std::uint32_t>(count), std::vector<Waits>(count), {}};
    const std::vector<bool> first = first_of_blocks(f);
    std::vector<bool> used(f.registers.size(), false);
    for (const ptx::Instruction& i : f.instructions)
        for (const std::int32_t r : effects_of(f, i).uses) used[static_cast<std::size_t>(r)] = true;
    for (std::size_t n = 0; n < count;) {
        BlockLevels block(f, used);
        do {
            out.level[n] = block.add(f.instructions[n]);
            out.block[n] = static_cast<std::uint32_t>(out.blocks.size());
        } while (++n < count && !first[n]);
        out.blocks.push_back(block.most());
    }
    return out;
}

}  // namespace cugrade::emulator
