// Accesses outside of all memory are left out, as a check of the index would leave them out.
#include <fmt/format.h>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/code_change.hpp"

namespace cugrade::emulator {
namespace {

class OutsideChange final : public CodeChange {
public:
    InterventionKind kind() const override { return InterventionKind::ignore_outside; }

    std::vector<Intervention> list(const ptx::Module& module) const override {
        std::vector<Intervention> all;
        for (const ptx::Function& f : module.functions)
            for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
                if (!access_of(f.instructions[n])) continue;
                auto place = own_place(module, f.instructions[n]);
                if (!place) continue;
                place->column = 0;
                all.push_back({.kind = kind(),
                               .function = std::string(f.name),
                               .instruction = n,
                               .place = *place,
                               .text = fmt::format("no access outside of the arrays in line {}",
                                                   place->line)});
            }
        return all;
    }

    void apply(ptx::Module& module, const Intervention& one) const override {
        body_of(module, one.function)->instructions[one.instruction].ignores_outside = true;
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_outside_change() { return std::make_unique<OutsideChange>(); }

}  // namespace cugrade::emulator
