// A store that releases and a load that acquires, as those of a lock or a flag have to.
//
// The emulated GPU's memory is the same for all threads at any time, so no result changes by that.
// The checkers, though, take what is before a release as ordered before what follows the acquire.
#include <algorithm>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/instruction_change.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Instruction;

class Ordering final : public InstructionChange {
public:
    explicit Ordering(bool releases) : releases_(releases) {}
    InterventionKind kind() const override {
        return releases_ ? InterventionKind::release : InterventionKind::acquire;
    }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Instruction& i = body_of(module, one.function)->instructions[one.instruction];
        const Instruction before = i;
        i.modifiers = {releases_ ? "release" : "acquire", "gpu"};
        i.modifier_count = 2;
        for (std::size_t n = 0; n < before.modifier_count; ++n)
            if (!ptx::is_any_of(before.modifiers[n], {"volatile", "relaxed", "weak", "gpu", "nc"}))
                i.modifiers[i.modifier_count++] = before.modifiers[n];
    }

protected:
    bool takes_inlined() const override { return true; }
    std::vector<Choice> choices(const ptx::Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        const auto a = access_of(i);
        // An atomic that frees a lock or sets a flag releases as well: nobody looks at its result.
        const bool is_atomic =
            releases_ && (i.opcode == "red" || (i.opcode == "atom" && !is_used(f, i)));
        if (!a || (!is_atomic && i.opcode != (releases_ ? "st" : "ld")) ||
            a->space == ptx::Space::local || i.has("v2") || i.has("v4") || i.has("acquire") ||
            i.has("release") || bits(type_of(i)) < 32 || i.modifier_count > 12)
            return {};
        return {{0,
                 is_atomic   ? "an atomic that releases"
                 : releases_ ? "a store that releases"
                             : "a load that acquires",
                 n}};
    }

private:
    static bool is_used(const ptx::Function& f, const Instruction& i) {
        const ptx::Operand& result = operand(f, i, 0);
        return is_register(result) &&
               std::ranges::any_of(f.instructions, [&](const Instruction& other) {
                   return std::ranges::count(read_by(f, other), result.reg) > 0;
               });
    }

    bool releases_;
};

}  // namespace

std::unique_ptr<CodeChange> make_release_change() { return std::make_unique<Ordering>(true); }
std::unique_ptr<CodeChange> make_acquire_change() { return std::make_unique<Ordering>(false); }

}  // namespace cugrade::emulator
