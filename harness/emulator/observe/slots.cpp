#include "emulator/observe/slots.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace cugrade::emulator {

std::uint32_t issue_slots(const ptx::Function& f, const ptx::Instruction& i) {
    const std::string_view o = i.opcode;
    const auto is = [&](std::initializer_list<std::string_view> names) {
        return std::find(names.begin(), names.end(), o) != names.end();
    };
    const bool wide = i.has("s64") || i.has("u64") || i.has("b64");
    if (is({"ld", "st"})) return i.has("param") ? 0 : 1;
    if (o == "cvta") return 0;
    if (o == "mov") {
        const auto& from = f.operands[i.first_operand + i.operand_count - 1u];
        return from.kind == ptx::OperandKind::special ? 1 : 0;
    }
    if (o == "cvt") return i.has("u64") && i.has("u32") ? 0 : 1;
    if (is({"div", "rem"})) {
        if (i.has("f64")) return 12;
        if (i.has("f32")) return i.has("approx") || i.has("full") ? 3 : 10;
        return wide ? 70 : 18;
    }
    if (is({"sqrt", "rcp"})) return i.has("approx") ? 1 : i.has("f64") ? 12 : 8;
    if (is({"mul", "mad"}) && wide) return i.has("wide") ? 1 : 4;
    if (is({"bfe", "bfi"})) return 2;
    if (is({"add", "sub", "min", "max", "and", "or", "xor", "not", "neg", "abs", "shl", "shr",
            "setp", "selp"}))
        return wide ? 2 : 1;
    return 1;
}

}  // namespace cugrade::emulator
