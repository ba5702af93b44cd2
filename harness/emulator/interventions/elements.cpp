// A load or store of several elements at once, or of one wide number, becomes several: one for each
// element, or one for each byte. The address then need not be a multiple of the whole width.
//
//   ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];   four of ld.global.f32
//   st.global.u32 [%rd1], %r1;                       four of st.global.u8, each of a byte of %r1
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/instruction_change.hpp"
#include "emulator/interventions/rewriter.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

enum Unit : std::int64_t { by_element = 1, by_byte = 2 };

/// The operand that is loaded into or stored.
const Operand& data_of(const Function& f, const Instruction& i) {
    return operand(f, i, i.opcode == "st" ? 1 : 0);
}

int bits_of(const Function& f, const Operand& reg) {
    return bits(f.registers[static_cast<std::size_t>(reg.reg)].type);
}

/// "ld.global.v4.f32" as "ld.global.f32", with another type at the end where one is given.
std::string form_of(const Instruction& i, std::string_view type = {}) {
    std::string form(i.opcode);
    for (std::size_t n = 0; n < i.modifier_count; ++n) {
        const std::string_view m = i.modifiers[n];
        if (ptx::is_any_of(m, {"v2", "v4", "v8"})) continue;
        const bool is_type = n + 1U == i.modifier_count;
        form += fmt::format(".{}", is_type && !type.empty() ? type : m);
    }
    return form;
}

/// Writes the instructions that take the place of one.
class Parts {
public:
    Parts(ptx::Module& module, Function& f, const Instruction& of)
        : rewriter_(module, f),
          function_(f),
          of_(of),
          address_(operand(f, of, of.opcode == "st" ? 0 : 1)) {
        if (address_.reg < 0) return;
        // What is loaded may be the pointer itself.
        const Type type = f.registers[static_cast<std::size_t>(address_.reg)].type;
        const Operand copy = Rewriter::reg(rewriter_.new_register(type));
        add(fmt::format("mov.b{}", bits(type)), {copy, Rewriter::reg(address_.reg)});
        address_.reg = copy.reg;
    }

    void move(const Operand& element, std::int64_t at) {
        if (element.kind == OperandKind::sink) return;
        access(form_of(of_), element, at);
    }

    void move_bytes(const Operand& element, std::int64_t at) {
        if (element.kind == OperandKind::sink) return;
        const int width = bits(type_of(of_));
        const int words = width > 32 ? 2 : 1;
        Operand word[2];
        for (int n = 0; n < words; ++n) word[n] = Rewriter::reg(rewriter_.new_register(Type::b32));
        if (of_.opcode == "st") take_apart(element, word, width);
        for (int n = 0; n < words; ++n)
            for (int byte = 0; byte < std::min(width / 8 - 4 * n, 4); ++byte)
                move_byte(word[n], byte, at + 4 * n + byte);
        if (of_.opcode != "st") put_together(element, word, width);
    }

    void put_instead(std::uint32_t at) {
        for (Instruction& one : made_) {
            one.guard = of_.guard;
            one.guard_negated = of_.guard_negated;
        }
        if (made_.empty()) return;
        function_.instructions[at] = made_.front();
        made_.erase(made_.begin());
        rewriter_.insert_after(at, made_);
    }

private:
    void add(const std::string& form, const std::vector<Operand>& operands) {
        made_.push_back(rewriter_.make(form, operands, of_));
    }

    void access(const std::string& form, const Operand& data, std::int64_t at) {
        Operand address = address_;
        // Offsets of hostile code wrap, as the machine's addresses do.
        address.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(address.offset) +
                                                   static_cast<std::uint64_t>(at));
        if (of_.opcode == "st") return add(form, {address, data});
        add(form, {data, address});
        const auto bytes = static_cast<std::uint32_t>(bits(type_of(made_.back())) / 8);
        const std::uint32_t mask = bytes >= 32 ? ~0u : (1u << bytes) - 1;
        made_.back().used_bytes = at < 32 ? (of_.used_bytes >> at) & mask : mask;
    }

    void move_byte(const Operand& word, int byte, std::int64_t at) {
        const Operand part = Rewriter::reg(rewriter_.new_register(Type::b32));
        const Operand shift = Rewriter::immediate(static_cast<std::uint64_t>(8 * byte));
        if (of_.opcode == "st") {
            add("shr.u32", {part, word, shift});
            return access(form_of(of_, "u8"), part, at);
        }
        access(form_of(of_, "u8"), byte == 0 ? word : part, at);
        if (byte == 0) return;
        add("shl.b32", {part, part, shift});
        add("or.b32", {word, word, part});
    }

    void take_apart(const Operand& element, const Operand (&word)[2], int width) {
        if (width == 64 && element.kind == OperandKind::immediate) {
            add("mov.b32", {word[0], Rewriter::immediate(element.bits & 0xFFFFFFFF)});
            add("mov.b32", {word[1], Rewriter::immediate(element.bits >> 32)});
        } else if (width == 64) {
            add("mov.b64", {pair(word), element});
        } else if (width == 16 && is_register(element)) {
            add("cvt.u32.u16", {word[0], element});
        } else {
            add("mov.b32", {word[0], element});
        }
    }

    void put_together(const Operand& element, const Operand (&word)[2], int width) {
        if (width == 64)
            add("mov.b64", {element, pair(word)});
        else
            add(width == 16 ? "cvt.u16.u32" : "mov.b32", {element, word[0]});
    }

    Operand pair(const Operand (&word)[2]) {
        Operand both;
        both.kind = OperandKind::vector;
        both.first = static_cast<std::uint32_t>(function_.operands.size());
        both.count = 2;
        function_.operands.insert(function_.operands.end(), std::begin(word), std::end(word));
        return both;
    }

    Rewriter rewriter_;
    Function& function_;
    const Instruction of_;
    Operand address_;
    std::vector<Instruction> made_;
};

class Elements final : public CodeChange {
public:
    InterventionKind kind() const override { return InterventionKind::by_elements; }

    std::vector<Intervention> list(const ptx::Module& module) const override {
        std::vector<Intervention> all;
        for (const Function& f : module.functions) {
            if (f.instructions.size() > most_instructions) continue;
            std::vector<Intervention> here;
            for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
                const auto place = own_place(module, f.instructions[n]);
                if (!place) continue;
                for (const auto& [value, text] : ways(f, f.instructions[n]))
                    here.push_back({.kind = kind(),
                                    .function = std::string(f.name),
                                    .instruction = n,
                                    .value = value,
                                    .place = *place,
                                    .text = std::string(text)});
            }
            if (here.size() <= most_accesses) all.insert(all.end(), here.begin(), here.end());
        }
        return all;
    }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Instruction i = f.instructions[one.instruction];
        const Operand data = data_of(f, i);
        std::vector<Operand> elements{data};
        if (data.kind == OperandKind::vector)
            elements.assign(f.operands.begin() + data.first,
                            f.operands.begin() + data.first + data.count);
        Parts parts(module, f, i);
        std::int64_t at = 0;
        for (const Operand& element : elements) {
            if (one.value == by_element)
                parts.move(element, at);
            else
                parts.move_bytes(element, at);
            at += bits(type_of(i)) / 8;
        }
        parts.put_instead(one.instruction);
    }

private:
    /// Each access becomes some hundred instructions at most, and the function longer with each.
    /// Chosen: more than kernels have that are not made to have many.
    static constexpr std::size_t most_accesses = 400;

    static std::vector<std::pair<Unit, std::string_view>> ways(const Function& f,
                                                                const Instruction& i) {
        if (!ptx::is_any_of(i.opcode, {"ld", "st"}) || !access_of(i) || i.operand_count != 2)
            return {};
        if (operand(f, i, i.opcode == "st" ? 0 : 1).kind != OperandKind::address) return {};
        const int width = bits(type_of(i));
        const Operand& data = data_of(f, i);
        const bool is_vector = data.kind == OperandKind::vector;
        const std::uint32_t count = i.has("v2") ? 2 : i.has("v4") ? 4 : i.has("v8") ? 8 : 1;
        if (width < 8 || count != (is_vector ? data.count : 1)) return {};
        std::vector<std::pair<Unit, std::string_view>> all;
        if (is_vector) all.emplace_back(by_element, "each element by an access of its own");
        // A register that is wider than what is loaded gets a sign, or not.
        const auto is_plain = [&](const Operand& o) {
            if (o.kind == OperandKind::immediate)
                return !o.is_float_literal || o.float_bits == width;
            return o.kind == OperandKind::sink || (is_register(o) && bits_of(f, o) == width);
        };
        bool plain = !is_vector && is_plain(data);
        if (is_vector)
            plain = std::all_of(f.operands.begin() + data.first,
                                f.operands.begin() + data.first + data.count, is_plain);
        if (plain && (width == 16 || width == 32 || width == 64))
            all.emplace_back(by_byte, "each byte by an access of its own");
        return all;
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_elements_change() { return std::make_unique<Elements>(); }

}  // namespace cugrade::emulator
