// A load, a change and a store of one place in memory become one atomic.
//
// `*p += x` is an ld, an add and an st in one straight line. The atomic takes the place of the
// store and gives the old value; the change is computed from that once more, because both values
// may be used later. `if (v > *p) *p = v` keeps its comparison: with an atomic maximum behind it,
// it only saves work.
#include <fmt/format.h>

#include <algorithm>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"
#include "emulator/interventions/code_change.hpp"
#include "emulator/interventions/flow.hpp"
#include "emulator/interventions/instruction_change.hpp"
#include "emulator/interventions/relations.hpp"
#include "emulator/interventions/rewriter.hpp"
#include "emulator/interventions/values.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

/// How far a load may be before its store, and a comparison before the store that it decides.
/// Chosen: some lines of source.
constexpr std::uint32_t most_between = 60;

/// What the student would write.
struct Update {
    std::uint32_t load = 0, change = 0, store = 0;
    std::string operation;  ///< of the atomic: "add"
    std::string function;   ///< "atomicAdd"
    Type type = Type::none;
    std::uint32_t other = 0;  ///< number of the operand of `change` beside the old value
    bool is_exchange = false;  ///< the new value does not depend on the old one
    /// Of an exchange: what makes the new value after the load, in order.
    std::vector<std::uint32_t> late;
};

std::string space_of(const Instruction& i) {
    return i.has("shared") ? ".shared" : i.has("global") ? ".global" : "";
}

std::optional<Type> of_atomic(std::string_view operation, Type type) {
    const int width = bits(type);
    if (width != 32 && width != 64) return std::nullopt;
    if (operation == "add") {
        if (is_float(type)) return type;
        return width == 32 ? Type::u32 : Type::u64;
    }
    if (is_float(type)) return std::nullopt;
    if (operation == "min" || operation == "max") {
        if (is_signed(type) || type == Type::u32 || type == Type::u64) return type;
        return std::nullopt;
    }
    return width == 32 ? Type::b32 : Type::b64;
}

class Finder {
public:
    explicit Finder(const Function& f)
        : f_(f), values_(f), first_(first_of_lines(f, successors_of(f))), opposite_(opposites(f)) {}

    /// The update that begins with the load `n`.
    [[nodiscard]] std::optional<Update> straight(std::uint32_t n) const {
        const Instruction& load = f_.instructions[n];
        if (load.opcode != "ld" || load.guard >= 0 || !access_of(load)) return std::nullopt;
        if (!is_register(operand(f_, load, 0))) return std::nullopt;
        const std::int32_t old = operand(f_, load, 0).reg;
        std::optional<Update> found;
        for (std::uint32_t k = n + 1; k < end(n); ++k) {
            const Instruction& i = f_.instructions[k];
            if (!found) {
                found = change_of(n, k, old);
                // The old value may have no other use before the store.
                if (!found && (uses(i, old) || writes(i, old))) return std::nullopt;
                continue;
            }
            if (i.opcode == "st" && stores(i, *found)) {
                found->store = k;
                return found;
            }
            if (uses(i, old)) return std::nullopt;
            for (const std::int32_t r : written_by(f_, i))
                if (uses(f_.instructions[found->change], r)) return std::nullopt;
        }
        return std::nullopt;
    }

    /// The load `n` of what a store soon replaces by another value: `next = *head; *head = me`.
    [[nodiscard]] std::optional<Update> exchanged(std::uint32_t n) const {
        const Instruction& load = f_.instructions[n];
        if (load.opcode != "ld" || load.guard >= 0 || load.operand_count != 2 || !access_of(load))
            return std::nullopt;
        const Operand& old = operand(f_, load, 0);
        if (!is_register(old) || values_.written_at(old.reg) != n) return std::nullopt;
        for (std::uint32_t k = n + 1; k < end(n); ++k) {
            const Instruction& store = f_.instructions[k];
            if (ptx::is_any_of(store.opcode, {"atom", "red", "call", "bar", "membar", "fence"}))
                return std::nullopt;
            if (store.opcode != "st" || !values_.are_same(operand(f_, load, 1), operand(f_, store, 0)))
                continue;
            const int width = bits(type_of(store));
            if (store.guard >= 0 || store.operand_count != 2 || width != bits(type_of(load)) ||
                (width != 32 && width != 64))
                return std::nullopt;
            Update u{.load = n,
                     .change = n,
                     .store = k,
                     .operation = "exch",
                     .function = "atomicExch",
                     .type = width == 32 ? Type::b32 : Type::b64,
                     .is_exchange = true,
                     .late = {}};
            if (!makes_early(operand(f_, store, 1), u) || !makes_early(operand(f_, store, 0), u))
                return std::nullopt;
            std::ranges::sort(u.late);
            return u;
        }
        return std::nullopt;
    }

    /// The store `n` of a value that was compared with the one that it replaces.
    [[nodiscard]] std::optional<Update> compared(std::uint32_t n) const {
        const Instruction& store = f_.instructions[n];
        if (store.opcode != "st" || !access_of(store)) return std::nullopt;
        if (store.operand_count != 2 || !is_register(operand(f_, store, 1))) return std::nullopt;
        for (std::uint32_t back = 1; back <= std::min(n, most_between); ++back) {
            const Instruction& i = f_.instructions[n - back];
            const auto c = comparison_of(i);
            if (!c || c->relation->with_equality_changed.empty()) continue;
            const bool is_first = is_stored(store, operand(f_, i, c->limit - 1));
            const Operand& old = operand(f_, i, is_first ? c->limit : c->limit - 1);
            if (!is_first && !is_stored(store, operand(f_, i, c->limit))) continue;
            if (!is_register(old) || values_.written_at(old.reg) == Values::none) continue;
            const Instruction& load = f_.instructions[values_.written_at(old.reg)];
            if (load.opcode != "ld" ||
                !values_.are_same(operand(f_, load, 1), operand(f_, store, 0)))
                continue;
            const std::string operation = is_less(*c, i, store) == is_first ? "min" : "max";
            const auto type = of_atomic(operation, c->type);
            if (!type || bits(*type) != bits(type_of(store))) continue;
            return Update{.load = n,
                          .change = n,
                          .store = n,
                          .operation = operation,
                          .function = operation == "min" ? "atomicMin" : "atomicMax",
                          .type = *type,
                          .other = 1};
        }
        return std::nullopt;
    }

private:
    [[nodiscard]] std::uint32_t end(std::uint32_t n) const {
        std::uint32_t k = n + 1;
        while (k < f_.instructions.size() && k - n < most_between && !first_[k]) ++k;
        return k;
    }
    [[nodiscard]] bool uses(const Instruction& i, std::int32_t reg) const {
        return std::ranges::count(read_by(f_, i), reg) > 0;
    }
    [[nodiscard]] bool writes(const Instruction& i, std::int32_t reg) const {
        return std::ranges::count(written_by(f_, i), reg) > 0;
    }
    /// Can the operand of the store be made in front of the load? Adds what has to move there.
    [[nodiscard]] bool makes_early(const Operand& o, Update& u) const {
        if (is_immediate(o)) return true;
        if (o.reg < 0) return o.kind == ptx::OperandKind::address;
        const std::uint32_t at = values_.written_at(o.reg);
        if (at == u.load) return false;
        if (at == Values::none) return false;
        if (at < u.load || std::ranges::count(u.late, at) > 0) return true;
        const Instruction& writer = f_.instructions[at];
        constexpr std::size_t most_moved = 16;
        if (at >= u.store || writer.guard >= 0 || writer.paired || u.late.size() == most_moved ||
            !ptx::is_any_of(writer.opcode, {"mov", "cvt", "cvta", "add", "sub", "shl", "mul", "mad"}))
            return false;
        u.late.push_back(at);
        for (std::uint32_t k = 1; k < writer.operand_count; ++k) {
            const Operand& from = operand(f_, writer, k);
            if (is_register(from) && !makes_early(from, u)) return false;
        }
        return true;
    }
    [[nodiscard]] bool is_stored(const Instruction& store, const Operand& o) const {
        return values_.are_same(o, operand(f_, store, 1));
    }

    /// Is it stored where the first operand is less?
    [[nodiscard]] bool is_less(const Comparison& c, const Instruction& comparison,
                               const Instruction& store) const {
        const Operand& to = operand(f_, comparison, 0);
        if (store.guard >= 0 && is_register(to) && store.guard == to.reg)
            return c.relation->less != store.guard_negated;
        return in_source(c, f_, comparison, opposite_).less;
    }

    [[nodiscard]] std::optional<Update> change_of(std::uint32_t load, std::uint32_t n,
                                                  std::int32_t old) const {
        const Instruction& i = f_.instructions[n];
        if (i.guard >= 0 || i.operand_count < 3 || !is_register(operand(f_, i, 0)))
            return std::nullopt;
        struct Row {
            std::string_view opcode, operation, function;
        };
        static constexpr Row rows[] = {
            {"add", "add", "atomicAdd"}, {"sub", "add", "atomicSub"}, {"min", "min", "atomicMin"},
            {"max", "max", "atomicMax"}, {"and", "and", "atomicAnd"}, {"or", "or", "atomicOr"},
            {"xor", "xor", "atomicXor"}, {"fma", "add", "atomicAdd"}, {"mad", "add", "atomicAdd"}};
        const auto* row = std::ranges::find(rows, i.opcode, &Row::opcode);
        if (row == std::end(rows) || (i.opcode == "mad" && !i.has("lo"))) return std::nullopt;
        const auto type = of_atomic(row->operation, type_of(i));
        if (!type || bits(*type) != bits(type_of(f_.instructions[load]))) return std::nullopt;
        const auto is_old = [&](std::uint32_t k) {
            return is_register(operand(f_, i, k)) && operand(f_, i, k).reg == old;
        };
        Update u{.load = load,
                 .change = n,
                 .operation = std::string(row->operation),
                 .function = std::string(row->function),
                 .type = *type};
        const bool is_product = i.operand_count == 4;
        const std::uint32_t last = is_product ? 3 : 2;
        if (is_product != ptx::is_any_of(i.opcode, {"fma", "mad"})) return std::nullopt;
        if (is_product) {
            if (!is_old(3) || is_old(1) || is_old(2)) return std::nullopt;
        } else if (is_old(1) == is_old(2) || (i.opcode == "sub" && is_old(2))) {
            return std::nullopt;
        }
        u.other = is_product ? 0 : is_old(1) ? last : 1;
        return u;
    }

    [[nodiscard]] bool stores(const Instruction& store, const Update& u) const {
        const Operand& value = operand(f_, store, 1);
        return store.guard < 0 && store.operand_count == 2 && is_register(value) &&
               value.reg == operand(f_, f_.instructions[u.change], 0).reg &&
               bits(type_of(store)) == bits(u.type) &&
               values_.are_same(operand(f_, f_.instructions[u.load], 1), operand(f_, store, 0));
    }

    const Function& f_;
    const Values values_;
    const std::vector<bool> first_;
    const std::vector<bool> opposite_;
};

class AtomicChange final : public CodeChange {
public:
    InterventionKind kind() const override { return InterventionKind::atomic; }

    std::vector<Intervention> list(const ptx::Module& module) const override {
        std::vector<Intervention> all;
        for (const Function& f : module.functions) {
            const Finder finder(f);
            for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
                const auto u = find(finder, n);
                if (!u) continue;
                auto place =
                    own_place(module, f.instructions[u->is_exchange ? u->load : u->store]);
                if (!place) continue;
                place->column = 0;
                all.push_back({.kind = kind(),
                               .function = std::string(f.name),
                               .instruction = n,
                               .place = *place,
                               .text = fmt::format("`{}` in line {}", u->function, place->line)});
            }
        }
        return all;
    }

    void apply(ptx::Module& module, const Intervention& one) const override {
        Function& f = *body_of(module, one.function);
        const auto u = find(Finder(f), one.instruction);
        if (!u) return;
        Rewriter rewriter(module, f);
        if (u->is_exchange)
            replace_load(rewriter, f, *u);
        else if (u->load == u->store)
            replace_store(rewriter, f, *u);
        else
            replace_all(rewriter, f, *u);
    }

private:
    static std::optional<Update> find(const Finder& finder, std::uint32_t n) {
        if (auto u = finder.straight(n)) return u;
        if (auto u = finder.compared(n)) return u;
        return finder.exchanged(n);
    }

    static void replace_load(Rewriter& rewriter, const Function& f, const Update& u) {
        const Instruction load = f.instructions[u.load], store = f.instructions[u.store];
        std::vector<Instruction> made;
        for (const std::uint32_t n : u.late) made.push_back(f.instructions[n]);
        made.push_back(rewriter.make(
            fmt::format("atom{}.exch.{}", space_of(store), name(u.type)),
            {operand(f, load, 0), operand(f, store, 0), operand(f, store, 1)}, load));
        rewriter.erase(u.store);
        for (auto n = u.late.rbegin(); n != u.late.rend(); ++n) rewriter.erase(*n);
        rewriter.insert_after(u.load, made);
        rewriter.erase(u.load);
    }

    static void replace_store(Rewriter& rewriter, const Function& f, const Update& u) {
        const Instruction store = f.instructions[u.store];
        rewriter.replace(
            u.store,
            rewriter.make(fmt::format("red{}.{}.{}", space_of(store), u.operation, name(u.type)),
                          {operand(f, store, 0), operand(f, store, 1)}, store));
    }

    static void replace_all(Rewriter& rewriter, const Function& f, const Update& u) {
        const Instruction load = f.instructions[u.load], change = f.instructions[u.change],
                          store = f.instructions[u.store];
        const Operand old = operand(f, load, 0), address = operand(f, store, 0);
        std::vector<Instruction> made;
        Operand other = operand(f, change, u.other);
        if (u.other == 0) {  // fma, mad: the product first
            other = Rewriter::reg(rewriter.new_register(type_of(change)));
            made.push_back(
                rewriter.make(fmt::format("mul.{}.{}", change.opcode == "mad" ? "lo" : "rn",
                                          name(type_of(change))),
                              {other, operand(f, change, 1), operand(f, change, 2)}, change));
        } else if (change.opcode == "sub") {
            const Operand negative = Rewriter::reg(rewriter.new_register(type_of(change)));
            made.push_back(rewriter.make(fmt::format("sub.{}", name(type_of(change))),
                                         {negative, Rewriter::immediate(0), other}, change));
            other = negative;
        }
        made.push_back(
            rewriter.make(fmt::format("atom{}.{}.{}", space_of(store), u.operation, name(u.type)),
                          {old, address, other}, store));
        made.push_back(change);
        rewriter.insert_after(u.store, made);
        rewriter.erase(u.store);
        rewriter.erase(u.change);
        rewriter.erase(u.load);
    }
};

}  // namespace

std::unique_ptr<CodeChange> make_atomic_change() { return std::make_unique<AtomicChange>(); }

}  // namespace cugrade::emulator
