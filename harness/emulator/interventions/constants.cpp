// Numbers in the code, and the element that an access takes, become their neighbours.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/counting.hpp"
#include "emulator/interventions/instruction_change.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Type;

enum Neighbour : std::int64_t { one_smaller = -1, one_larger = 1, doubled = 2, halved = -2 };

std::int64_t changed(std::int64_t number, std::int64_t value) {
    switch (value) {
        case one_smaller: return number - 1;
        case one_larger: return number + 1;
        case doubled: return number * 2;
        default: return number / 2;
    }
}

/// Of 32 bits: addresses are computed with 64, and their numbers are the compiler's.
class Constant final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::constant; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Instruction& i = f.instructions[one.instruction];
        ptx::Operand& o = operand(f, i, i.operand_count - 1U);
        o.bits = static_cast<std::uint64_t>(changed(static_cast<std::int64_t>(o.bits), one.value));
    }

protected:
    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        if (i.opcode == "mov" || i.opcode == "setp") return of_a_loop(f, n);
        if (i.operand_count < 3 || i.has("wide") || bits(type_of(i)) != 32 || is_float(type_of(i)))
            return {};
        if (!ptx::is_any_of(i.opcode, {"add", "sub", "mul", "mad", "shl", "shr", "div", "rem",
                                       "and", "min", "max"}))
            return {};
        const ptx::Operand& o = operand(f, i, i.operand_count - 1U);
        if (!is_immediate(o) || (ptx::is_any_of(i.opcode, {"shl", "shr"}) && o.bits > 31))
            return {};
        const auto number = static_cast<std::int64_t>(o.bits);
        std::vector<Choice> all;
        // The source has a product or a quotient.
        if (ptx::is_any_of(i.opcode, {"shl", "shr"})) {
            const std::string_view what = i.opcode == "shl" ? "multiplication" : "division";
            for (const std::int64_t value : {one_larger, one_smaller})
                if (const std::int64_t other = changed(number, value); other >= 0 && other < 32)
                    all.push_back(
                        {value,
                         fmt::format("the {} by {} to one by {}", what, std::uint64_t{1} << number,
                                     std::uint64_t{1} << other),
                         n});
            return all;
        }
        const auto has = [&](const std::string& text) {
            return std::ranges::any_of(all, [&](const Choice& c) { return c.text == text; });
        };
        for (const std::int64_t value : {one_larger, one_smaller, doubled, halved}) {
            const std::int64_t other = changed(number, value);
            std::string text = fmt::format("`{}` to `{}`", number, other);
            const bool divides_by_zero = other == 0 && ptx::is_any_of(i.opcode, {"div", "rem"});
            if (other != number && !divides_by_zero && !has(text))
                all.push_back({value, std::move(text), n});
        }
        return all;
    }

private:
    /// The number at which a loop begins, or with which its limit is compared: "the loop's limit
    /// `128` to `256`", "the falling loop's first number `31` to `32`". Of one that doubles or
    /// halves a distance: "the loop's distances: one more", for the compiler compares with another
    /// limit than the source.
    static std::vector<Choice> of_a_loop(const Function& f, std::uint32_t n) {
        const Instruction& i = f.instructions[n];
        const bool begins = i.opcode == "mov";
        if (i.operand_count != (begins ? 2U : 3U) || bits(type_of(i)) != 32) return {};
        const ptx::Operand &counts = operand(f, i, begins ? 0 : 1),
                           &o = operand(f, i, begins ? 1 : 2);
        if (!is_register(counts) || !is_immediate(o)) return {};
        const std::vector<Counter> counters = counters_of(f);
        const auto counter = std::ranges::find_if(counters, [&](const Counter& c) {
            return counts.reg == c.reg || (!begins && counts.reg == c.next);
        });
        if (counter == counters.end()) return {};
        const auto number = static_cast<std::int32_t>(o.bits);
        std::vector<Choice> all;
        // A limit that is off by one is a comparison that is.
        const bool scales = !begins || counter->scales;
        for (const std::int64_t value :
             {scales ? doubled : one_larger, scales ? halved : one_smaller})
            if (const std::int64_t other = changed(number, value); other != number && other != 0) {
                const bool takes_more = (other > number) != counter->falls;
                std::string text =
                    fmt::format("the {}loop's {} `{}` to `{}`", counter->falls ? "falling " : "",
                                begins ? "first number" : "limit", number, other);
                if (!begins && counter->scales)
                    text =
                        fmt::format("the loop's distances: one {}", takes_more ? "more" : "less");
                all.push_back({value, std::move(text), begins ? counter->step : n});
            }
        return all;
    }
};

class Element final : public InstructionChange {
public:
    InterventionKind kind() const override { return InterventionKind::element; }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const Instruction& i = f.instructions[one.instruction];
        operand(f, i, access_of(i)->address).offset += one.value * bytes_of(i);
    }

protected:
    std::vector<Choice> choices(const Function& f, std::uint32_t n) const override {
        const Instruction& i = f.instructions[n];
        const auto a = access_of(i);
        if (!a || a->space == ptx::Space::local || bytes_of(i) == 0) return {};
        const char* what = a->loads && !a->stores ? "read" : "written";
        return {{1, fmt::format("the element one further is {}", what), n},
                {-1, fmt::format("the element one before is {}", what), n}};
    }

private:
    static std::int64_t bytes_of(const Instruction& i) {
        const int elements = i.has("v4") ? 4 : i.has("v2") ? 2 : 1;
        return bits(type_of(i)) / 8 * elements;
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_constant_change() { return std::make_unique<Constant>(); }
std::unique_ptr<CodeChange> make_element_change() { return std::make_unique<Element>(); }

}  // namespace cugrade::emulator
