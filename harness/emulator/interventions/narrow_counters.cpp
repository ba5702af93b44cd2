// A probe, not a mend: a counter of 8 or 16 bits that is full and counts one more ends the launch.
//
// Theory of operation. Such a counter is a number of 8 or 16 bits in memory that is stored after 1
// was added to it, or a field of a word of 32 bits, to which `1 << shift` is added, atomically or
// not. In front of the store, the counter that begins again at 0 is seen; of a field, that it had
// all of its bits before. How many bits a field has, no instruction says: both widths are probes,
// and it is for the experiments to look which cases are ended.
#include <fmt/format.h>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/instruction_change.hpp"
#include "emulator/interventions/rewriter.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;

std::uint64_t all_ones(std::int64_t width) { return (std::uint64_t{1} << width) - 1; }

/// The instruction in front of `n` that has made what an operand holds; nullptr: none does nearby.
const Instruction* maker_of(const Function& f, std::uint32_t n, const Operand& o) {
    constexpr std::uint32_t nearby = 16;  // chosen: one statement
    if (!is_register(o)) return nullptr;
    for (std::uint32_t k = n; k > 0 && n - k < nearby; --k) {
        const Instruction& i = f.instructions[k - 1];
        if (i.operand_count > 0 && has_result(i) && is_register(operand(f, i, 0)) &&
            operand(f, i, 0).reg == o.reg)
            return i.guard < 0 ? &i : nullptr;
    }
    return nullptr;
}

/// A loop keeps the number in a register that is set in front of it.
bool is_one(const Function& f, const Operand& o) {
    if (is_immediate(o)) return o.bits == 1;
    if (!is_register(o)) return false;
    bool found = false;
    for (const Instruction& i : f.instructions) {
        if (i.operand_count == 0 || !has_result(i) || !is_register(operand(f, i, 0)) ||
            operand(f, i, 0).reg != o.reg)
            continue;
        if (i.opcode != "mov" || !is_immediate(operand(f, i, 1)) || operand(f, i, 1).bits != 1)
            return false;
        found = true;
    }
    return found;
}

/// `s` of `1 << s`; nullptr: the operand is another number.
const Operand* shift_of(const Function& f, std::uint32_t n, const Operand& o) {
    const Instruction* made = maker_of(f, n, o);
    const bool is_field = made != nullptr && made->opcode == "shl" && made->operand_count == 3 &&
                          bits(type_of(*made)) == 32 && is_one(f, operand(f, *made, 1));
    return is_field ? &operand(f, *made, 2) : nullptr;
}

/// Where a field of a word is counted up.
struct Field {
    Operand before;  ///< the word
    Operand shift;
    bool is_known_after = false;  ///< `before` is the instruction's result
};

std::optional<Field> field_at(const Function& f, std::uint32_t n) {
    const Instruction& i = f.instructions[n];
    if (i.guard >= 0 || i.operand_count != 3 || !is_register(operand(f, i, 0)) ||
        bits(type_of(i)) != 32)
        return std::nullopt;
    if (i.opcode == "atom" && i.has("add"))
        if (const Operand* shift = shift_of(f, n, operand(f, i, 2)))
            return Field{operand(f, i, 0), *shift, true};
    if (i.opcode == "add")
        for (const std::uint32_t k : {1U, 2U})
            if (const Operand* shift = shift_of(f, n, operand(f, i, k)))
                return Field{operand(f, i, 3 - k), *shift};
    return std::nullopt;
}

/// The number of bits of a counter that is stored; 0: the instruction stores none.
int width_of_stored(const Function& f, std::uint32_t n) {
    const Instruction& i = f.instructions[n];
    const bool stores = i.opcode == "st" && i.guard < 0 && i.operand_count == 2;
    const int width = stores ? static_cast<int>(bits(type_of(i))) : 0;
    if (width != 8 && width != 16) return 0;
    const Instruction* made = maker_of(f, n, operand(f, i, 1));
    return made != nullptr && made->opcode == "add" && made->operand_count == 3 &&
                   is_one(f, operand(f, *made, 2))
               ? width
               : 0;
}

class CounterWrap final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::counter_wrap; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Instruction i = f.instructions[one.instruction];
        Rewriter rewriter(module, f);
        const auto make = [&](ptx::Type type) {
            return Rewriter::reg(rewriter.new_register(type));
        };
        const Operand is_full = make(ptx::Type::pred);
        Instruction end = rewriter.make("trap", {}, i);
        end.guard = is_full.reg;
        const Operand ones = Rewriter::immediate(all_ones(one.value));
        if (const auto field = field_at(f, one.instruction)) {
            const Operand part = make(ptx::Type::b32);
            const std::vector<Instruction> added{
                rewriter.make("shr.u32", {part, field->before, field->shift}, i),
                rewriter.make("and.b32", {part, part, ones}, i),
                rewriter.make("setp.eq.u32", {is_full, part, ones}, i), end};
            if (field->is_known_after)
                rewriter.insert_after(one.instruction, added);
            else
                rewriter.insert_before(one.instruction, added);
            return;
        }
        const Operand counter = operand(f, i, 1);
        const ptx::Type type = f.registers[static_cast<std::size_t>(counter.reg)].type;
        const std::string width = bits(type) == 16 ? "16" : "32";
        const Operand part = make(bits(type) == 16 ? ptx::Type::b16 : ptx::Type::b32);
        rewriter.insert_before(
            one.instruction,
            {rewriter.make("and.b" + width, {part, counter, ones}, i),
             rewriter.make("setp.eq.u" + width, {is_full, part, Rewriter::immediate(0)}, i), end});
    }

protected:
    bool takes_inlined() const override { return true; }  // atomicAdd

    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        if (!ptx::is_any_of(i.opcode, {"st", "atom", "add"})) return {};
        std::vector<Choice> all;
        const auto add = [&](std::int64_t width) {
            all.push_back({width, fmt::format("no counter of {} bits is full", width), n});
        };
        if (const int width = width_of_stored(f, n); width > 0)
            add(width);
        else if (field_at(f, n))
            for (const int each : {8, 16}) add(each);
        return all;
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_counter_wrap_change() { return std::make_unique<CounterWrap>(); }

}  // namespace cugrade::emulator
