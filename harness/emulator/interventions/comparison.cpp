// A comparison that passes others: off by one at a limit, turned around, of the other signedness.
// Values and texts are those of the source.
#include <fmt/format.h>

#include "emulator/interventions/code.hpp"
#include "emulator/interventions/code_change.hpp"
#include "emulator/interventions/relations.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Type;

enum Comparing : std::int64_t {
    one_round_fewer = -1,
    one_round_more = 1,
    turned = 2,
    other_sign = 3,
    negated = 4
};

/// `atomicMax` and `atomicMin` compare, too.
bool is_atomic_extreme(const Instruction& i) {
    return ptx::is_any_of(i.opcode, {"atom", "red"}) && (i.has("min") || i.has("max"));
}

std::string number(const ptx::Operand& o, Type type, std::int64_t more) {
    const std::uint64_t sum = o.bits + static_cast<std::uint64_t>(more);
    return is_signed(type) ? fmt::format("{}", static_cast<std::int64_t>(sum))
                           : fmt::format("{}", type == Type::u64 ? sum : sum & 0xFFFFFFFF);
}

/// What the change of value +-1 does: to the relation, or to a number that is the limit.
std::optional<std::int64_t> change_of_limit(const Relation& in_source, std::int64_t value) {
    if (in_source.strict == (value == one_round_more)) return std::nullopt;
    return in_source.less == (value == one_round_more) ? 1 : -1;
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
                const bool is_atomic = is_atomic_extreme(i);
                if (!c && !is_atomic) continue;
                auto place = is_atomic ? students_place(module, i) : own_place(module, i);
                if (!place) continue;
                if (is_atomic) place->column = 0;  // that of the call
                const auto add = [&](std::int64_t value, std::string text) {
                    all.push_back({.kind = kind(),
                                   .function = std::string(f.name),
                                   .instruction = n,
                                   .value = value,
                                   .place = *place,
                                   .text = std::move(text)});
                };
                if (is_atomic)
                    list_other_sign(type_of(i), add);
                else
                    list_one(*c, operand(f, i, c->limit), in_source(*c, f, i, opposite), add);
            }
        }
        return all;
    }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const std::vector<bool> opposite = opposites(f);
        Instruction& i = f.instructions[one.instruction];
        const auto set_other_sign = [&i] {
            if (const Type other = of_other_sign(type_of(i)); other != Type::none)
                i.modifiers[i.modifier_count - 1U] = ptx::name(other);
        };
        if (is_atomic_extreme(i)) return set_other_sign();
        const auto c = comparison_of(i);
        if (!c) return;
        std::string_view& relation = i.modifiers[0];
        switch (one.value) {
            case one_round_more:
            case one_round_fewer:
                if (const auto by = change_of_limit(in_source(*c, f, i, opposite), one.value))
                    operand(f, i, c->limit).bits += static_cast<std::uint64_t>(*by);
                else
                    relation = c->relation->with_equality_changed;
                break;
            case turned: relation = c->relation->turned; break;
            case other_sign: set_other_sign(); break;
            case negated: relation = c->relation->opposite; break;
            default: break;
        }
    }

private:
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
        for (const std::int64_t value : {one_round_more, one_round_fewer}) {
            const auto by = change_of_limit(source, value);
            if (!by)
                add(value, change(source.symbol, symbol_of(source.with_equality_changed)));
            else if (is_immediate(limit) && !is_float(c.type) && bits(c.type) > 0)
                add(value, change(fmt::format("{} {}", source.symbol, number(limit, c.type, 0)),
                                  fmt::format("{} {}", source.symbol, number(limit, c.type, *by))));
        }
        add(turned, change(source.symbol, symbol_of(source.turned)));
        list_other_sign(c.type, add);
    }

    template <class Add>
    static void list_other_sign(Type type, Add add) {
        if (of_other_sign(type) != Type::none)
            add(other_sign, is_signed(type) ? "a comparison of signed numbers to one of unsigned"
                                            : "a comparison of unsigned numbers to one of signed");
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_comparison_change() {
    return std::make_unique<ComparisonChange>();
}

}  // namespace cugrade::emulator
