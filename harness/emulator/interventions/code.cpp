#include "emulator/interventions/code.hpp"

#include <utility>

#include <algorithm>

#include "emulator/ptx/places.hpp"

namespace cugrade::emulator {

std::optional<Place> own_place(const ptx::Module& module, const ptx::Instruction& i) {
    const std::string_view file = ptx::file_of(module, i.source);
    if (file.empty() || i.source.line == 0 || ptx::is_toolkit_file(file)) return std::nullopt;
    return Place{std::string(file), i.source.line, i.source.column};
}

std::optional<Place> students_place(const ptx::Module& module, const ptx::Instruction& i) {
    const ptx::SourceLine& line = ptx::students_line(module, i);
    const std::string_view file = ptx::file_of(module, line);
    if (file.empty() || line.line == 0 || ptx::is_toolkit_file(file)) return std::nullopt;
    return Place{std::string(file), line.line, line.column};
}

bool is_block_barrier(const ptx::Function& f, const ptx::Instruction& i) {
    const bool waits = ptx::is_any_of(i.opcode, {"bar", "barrier"}) && i.has("sync") &&
                       !i.has("warp") && i.operand_count == 1;
    return waits && is_immediate(operand(f, i, 0)) && operand(f, i, 0).bits == 0;
}

ptx::Type type_of(const ptx::Instruction& i) {
    if (i.modifier_count == 0) return ptx::Type::none;
    return ptx::type_from_name(i.modifiers[i.modifier_count - 1U]);
}

ptx::Type of_other_sign(ptx::Type type) {
    using ptx::Type;
    constexpr std::pair<Type, Type> signs[] = {
        {Type::s16, Type::u16}, {Type::s32, Type::u32}, {Type::s64, Type::u64}};
    for (const auto& [a, b] : signs) {
        if (type == a) return b;
        if (type == b) return a;
    }
    return Type::none;
}

ptx::Function* body_of(ptx::Module& module, std::string_view function) {
    const auto it = std::ranges::find_if(module.functions, [&](const ptx::Function& f) {
        return f.name == function && !f.is_declaration;
    });
    return it == module.functions.end() ? nullptr : &*it;
}

}  // namespace cugrade::emulator
