#include "emulator/interventions/instruction_change.hpp"

#include "emulator/interventions/code.hpp"

namespace cugrade::emulator {

std::vector<Intervention> InstructionChange::list(const ptx::Module& module) const {
    std::vector<Intervention> all;
    for (const ptx::Function& f : module.functions) {
        if (f.instructions.size() > most_instructions) continue;
        for (std::uint32_t n = 0; n < f.instructions.size(); ++n)
            for (Choice& choice : choices(f, n)) {
                const ptx::Instruction& edited = f.instructions[choice.instruction];
                const auto place =
                    takes_inlined() ? students_place(module, edited) : own_place(module, edited);
                if (!place) continue;
                all.push_back({.kind = kind(),
                               .function = std::string(f.name),
                               .instruction = n,
                               .value = choice.value,
                               .place = *place,
                               .text = std::move(choice.text)});
            }
    }
    return all;
}

}  // namespace cugrade::emulator
