#include "emulator/observe/slots.hpp"

#include "emulator/decode/opcodes.hpp"

namespace cugrade::emulator {

std::uint32_t issue_slots(const ptx::Function& f, const ptx::Instruction& i) {
    const bool is_wide = i.has("s64") || i.has("u64") || i.has("b64");
    switch (opcode_of(i).slots) {
        case Slots::one: break;
        case Slots::none: return 0;
        case Slots::none_of_parameters: return i.has("param") ? 0 : 1;
        case Slots::of_move: {
            const auto& from = f.operands[i.first_operand + i.operand_count - 1u];
            return from.kind == ptx::OperandKind::special ? 1 : 0;
        }
        case Slots::of_conversion: return i.has("u64") && i.has("u32") ? 0 : 1;
        case Slots::of_division:
            if (i.has("f64")) return 12;
            if (i.has("f32")) return i.has("approx") || i.has("full") ? 3 : 10;
            return is_wide ? 70 : 18;
        case Slots::of_root: return i.has("approx") ? 1 : i.has("f64") ? 12 : 8;
        case Slots::of_product: return is_wide && !i.has("wide") ? 4 : 1;
        case Slots::two: return 2;
        case Slots::two_if_wide: return is_wide ? 2 : 1;
    }
    return 1;
}

}  // namespace cugrade::emulator
