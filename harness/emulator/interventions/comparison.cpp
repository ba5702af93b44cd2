// A comparison that passes others: off by one at a limit, turned around, of the other signedness.
//
// The source's comparison is not always the PTX's: `if (i < n)` becomes a branch past the body for
// `i >= n`. Where the predicate guards a branch forwards, or its negation one backwards, the PTX
// has the opposite of what the source says. Values and texts are those of the source.
#include <fmt/format.h>

#include <array>

#include "emulator/interventions/code.hpp"
#include "emulator/interventions/code_change.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Type;

enum Value : std::int64_t { one_fewer = -1, one_more = 1, turned = 2, other_sign = 3, negated = 4 };

struct Relation {
    std::string_view name, symbol;
    std::string_view with_equality_changed;  ///< empty: an equality
    std::string_view turned;
    std::string_view opposite;
    bool strict = false;
    bool less = false;  ///< than the limit
};
constexpr Relation relations[] = {
    {"lt", "<", "le", "gt", "ge", true, true},
    {"le", "<=", "lt", "ge", "gt", false, true},
    {"gt", ">", "ge", "lt", "le", true, false},
    {"ge", ">=", "gt", "le", "lt", false, false},
    {"ltu", "<", "leu", "gtu", "ge", true, true},
    {"leu", "<=", "ltu", "geu", "gt", false, true},
    {"gtu", ">", "geu", "ltu", "le", true, false},
    {"geu", ">=", "gtu", "leu", "lt", false, false},
    {"eq", "==", "", "", "ne"},
    {"ne", "!=", "", "", "eq"},
    {"equ", "==", "", "", "neu"},
    {"neu", "!=", "", "", "equ"},
};
const Relation* relation_named(std::string_view name) {
    for (const Relation& r : relations)
        if (r.name == name) return &r;
    return nullptr;
}

constexpr std::pair<Type, Type> signs[] = {
    {Type::s16, Type::u16}, {Type::s32, Type::u32}, {Type::s64, Type::u64}};
Type of_other_sign(Type type) {
    for (const auto& [a, b] : signs) {
        if (type == a) return b;
        if (type == b) return a;
    }
    return Type::none;
}

/// What is compared with what, and how.
struct Comparison {
    const Relation* relation = nullptr;
    Type type = Type::none;
    std::uint32_t limit = 0;  ///< number of the operand
};
std::optional<Comparison> comparison_of(const Instruction& i) {
    if (i.opcode != "setp" || i.modifier_count < 2) return std::nullopt;
    const std::uint32_t limit = i.paired ? 3 : 2;
    const Relation* relation = relation_named(i.modifiers[0]);
    if (relation == nullptr || i.operand_count <= limit) return std::nullopt;
    return Comparison{relation, type_of(i), limit};
}

/// For each predicate, whether the branch that it decides makes the source's condition the opposite
/// of it.
std::vector<bool> opposites(const Function& f) {
    std::vector<bool> opposite(f.registers.size(), false);
    for (std::size_t n = f.instructions.size(); n-- > 0;) {
        const Instruction& i = f.instructions[n];
        if (i.opcode == "bra" && i.guard >= 0) {
            const bool forwards = operand(f, i, 0).target > n;
            opposite[static_cast<std::size_t>(i.guard)] = forwards != i.guard_negated;
        }
        if (i.opcode != "not" || i.operand_count != 2) continue;
        const ptx::Operand &to = operand(f, i, 0), &from = operand(f, i, 1);
        if (is_register(to) && is_register(from) && type_of(i) == Type::pred)
            opposite[static_cast<std::size_t>(from.reg)] =
                !opposite[static_cast<std::size_t>(to.reg)];
    }
    return opposite;
}

std::string number(const ptx::Operand& o, Type type, std::int64_t more) {
    const std::uint64_t sum = o.bits + static_cast<std::uint64_t>(more);
    return is_signed(type) ? fmt::format("{}", static_cast<std::int64_t>(sum))
                           : fmt::format("{}", type == Type::u64 ? sum : sum & 0xFFFFFFFF);
}

/// What the change of value +-1 does: to the relation, or to a number that is the limit.
std::optional<std::int64_t> change_of_limit(const Relation& in_source, std::int64_t value) {
    if (in_source.strict == (value == one_more)) return std::nullopt;
    return in_source.less == (value == one_more) ? 1 : -1;
}

class ComparisonChange final : public CodeChange {
public:
    InterventionKind kind() const override { return InterventionKind::comparison; }

    std::vector<Intervention> list(const ptx::Module& module) const override {
        std::vector<Intervention> all;
        for (const Function& f : module.functions) {
            const std::vector<bool> opposite = opposites(f);
            for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
                const Instruction& i = f.instructions[n];
                const auto c = comparison_of(i);
                if (!c) continue;
                const auto place = own_place(module, i);
                if (!place) continue;
                const auto add = [&](std::int64_t value, std::string text) {
                    all.push_back({.kind = kind(),
                                   .function = std::string(f.name),
                                   .instruction = n,
                                   .value = value,
                                   .place = *place,
                                   .text = std::move(text)});
                };
                list_one(*c, operand(f, i, c->limit), in_source(*c, f, i, opposite), add);
            }
        }
        return all;
    }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const std::vector<bool> opposite = opposites(f);
        Instruction& i = f.instructions[one.instruction];
        const auto c = comparison_of(i);
        if (!c) return;
        std::string_view& relation = i.modifiers[0];
        switch (one.value) {
            case one_more:
            case one_fewer:
                if (const auto by = change_of_limit(in_source(*c, f, i, opposite), one.value))
                    operand(f, i, c->limit).bits += static_cast<std::uint64_t>(*by);
                else
                    relation = c->relation->with_equality_changed;
                break;
            case turned: relation = c->relation->turned; break;
            case other_sign:
                i.modifiers[i.modifier_count - 1U] = ptx::name(of_other_sign(c->type));
                break;
            case negated: relation = c->relation->opposite; break;
            default: break;
        }
    }

private:
    static const Relation& in_source(const Comparison& c, const Function& f, const Instruction& i,
                                     const std::vector<bool>& opposite) {
        const ptx::Operand& to = operand(f, i, 0);
        const bool is_opposite = is_register(to) && opposite[static_cast<std::size_t>(to.reg)];
        return is_opposite ? *relation_named(c.relation->opposite) : *c.relation;
    }

    template <class Add>
    static void list_one(const Comparison& c, const ptx::Operand& limit, const Relation& source,
                         Add add) {
        const auto change = [](std::string_view from, std::string_view to) {
            return fmt::format("`{}` to `{}`", from, to);
        };
        if (source.with_equality_changed.empty()) {
            add(negated, change(source.symbol, relation_named(source.opposite)->symbol));
            return;
        }
        const auto symbol_of = [](std::string_view name) { return relation_named(name)->symbol; };
        for (const std::int64_t value : {one_more, one_fewer}) {
            const auto by = change_of_limit(source, value);
            if (!by)
                add(value, change(source.symbol, symbol_of(source.with_equality_changed)));
            else if (is_immediate(limit) && !is_float(c.type) && bits(c.type) > 0)
                add(value, change(fmt::format("{} {}", source.symbol, number(limit, c.type, 0)),
                                  fmt::format("{} {}", source.symbol, number(limit, c.type, *by))));
        }
        add(turned, change(source.symbol, symbol_of(source.turned)));
        if (of_other_sign(c.type) != Type::none)
            add(other_sign, is_signed(c.type)
                                ? "a comparison of signed numbers to one of unsigned"
                                : "a comparison of unsigned numbers to one of signed");
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_comparison_change() {
    return std::make_unique<ComparisonChange>();
}

}  // namespace cugrade::emulator
