// The flow of control of a PTX function, and the facts that are true wherever a register is read.
//
// A fact (decoder.hpp) begins where its instruction runs and ends where one of its sources is
// written. `hold_at_uses` asks for each reader whether the fact is true on all paths from the entry
// to it. This is a forward analysis over bits, with intersection where paths join. A guarded write
// may or may not happen, so it ends facts and begins none.
#include <algorithm>

#include "emulator/decode/decoder.hpp"
#include "emulator/decode/opcodes.hpp"

namespace cugrade::emulator {

using ptx::OperandKind;

namespace {

void collect(const ptx::Function& f, const ptx::Operand& o, std::vector<std::int32_t>& into) {
    if (o.kind == OperandKind::vector) {
        for (std::uint32_t n = 0; n < o.count; ++n) collect(f, f.operands[o.first + n], into);
    } else if ((o.kind == OperandKind::reg || o.kind == OperandKind::address) && o.reg >= 0) {
        into.push_back(o.reg);
    }
}

}  // namespace

Effects effects_of(const ptx::Function& f, const ptx::Instruction& i) {
    Effects e;
    const Writes writes = opcode_of(i).writes;
    const bool has_destination =
        writes == Writes::first || (writes == Writes::of_reduction && i.has("red"));
    const int destinations = has_destination ? (i.paired ? 2 : 1) : 0;
    for (int n = 0; n < i.operand_count; ++n) {
        const ptx::Operand& o = f.operands[i.first_operand + static_cast<std::uint32_t>(n)];
        collect(f, o, n < destinations && o.kind != OperandKind::address ? e.defs : e.uses);
    }
    if (i.guard >= 0) e.uses.push_back(i.guard);
    return e;
}

std::vector<bool> first_of_blocks(const ptx::Function& f) {
    std::vector<bool> first(f.instructions.size() + 1, false);
    first[0] = true;
    for (std::size_t n = 0; n < f.instructions.size(); ++n) {
        const auto& i = f.instructions[n];
        const Opcode& opcode = opcode_of(i);
        for (std::uint32_t k = 0; k < i.operand_count; ++k) {
            const auto& o = f.operands[i.first_operand + k];
            if (o.kind != OperandKind::label) continue;
            if (opcode.control == Control::branches_by_table)
                for (auto t : f.branch_tables[o.target]) first[t] = true;
            else
                first[o.target] = true;
        }
        if (ends_block(opcode)) first[n + 1] = true;
    }
    return first;
}

Flow flow_of(const ptx::Function& f) {
    Flow flow;
    const std::size_t count = f.instructions.size();
    const std::vector<bool> leader = first_of_blocks(f);
    flow.effects.reserve(count);
    flow.block_of.assign(count + 1, 0);
    for (std::size_t n = 0; n < count; ++n) {
        flow.effects.push_back(effects_of(f, f.instructions[n]));
        if (leader[n]) flow.first.push_back(static_cast<std::uint32_t>(n));
        flow.block_of[n] = static_cast<std::uint32_t>(flow.first.size() - 1);
    }
    const std::size_t blocks = flow.first.size();
    flow.first.push_back(static_cast<std::uint32_t>(count));
    flow.block_of[count] = static_cast<std::uint32_t>(blocks);
    flow.successors.resize(blocks);
    for (std::size_t b = 0; b < blocks; ++b) {
        const ptx::Instruction& last = f.instructions[flow.first[b + 1] - 1];
        const Opcode& opcode = opcode_of(last);
        std::vector<std::uint32_t>& to = flow.successors[b];
        for (std::uint32_t k = 0; k < last.operand_count; ++k) {
            const ptx::Operand& o = f.operands[last.first_operand + k];
            if (o.kind != OperandKind::label) continue;
            if (opcode.control == Control::branches_by_table)
                for (auto t : f.branch_tables[o.target]) to.push_back(flow.block_of[t]);
            else
                to.push_back(flow.block_of[o.target]);
        }
        if (!ends_block(opcode) || last.guard >= 0) to.push_back(static_cast<std::uint32_t>(b + 1));
    }
    return flow;
}

namespace {

/// Decides which facts hold: most within one block, the open ones with the whole function.
class Facts {
public:
    Facts(const Flow& flow, std::size_t registers, const std::vector<Fact>& facts)
        : flow_(flow), facts_(facts), holds_(facts.size(), true), fact_of_(registers, none) {
        ended_by_.assign(registers, none);
        for (std::uint32_t n = 0; n < facts.size(); ++n) {
            fact_of_[static_cast<std::size_t>(facts[n].reg)] = n;
            for (const std::int32_t source : facts[n].sources) {
                auto& head = ended_by_[static_cast<std::size_t>(source)];
                ends_.push_back({n, head});
                head = static_cast<std::uint32_t>(ends_.size() - 1);
            }
        }
    }

    std::vector<bool> answer() {
        find_open();
        if (!open_.empty()) ask_everywhere();
        return std::move(holds_);
    }

private:
    static constexpr std::uint32_t none = 0xFFFFFFFF;
    /// Most words that the analysis of a function may take (32 MiB, chosen). If it would take more,
    /// open facts count as false.
    static constexpr std::size_t most_words = std::size_t{1} << 22;
    using Bits = std::vector<std::uint64_t>;

    /// Calls used(fact), ended(fact) and begun(fact) for the instructions of a block, in order.
    template <class Used, class Ended, class Begun>
    void walk(std::size_t block, Used used, Ended ended, Begun begun) const {
        for (std::uint32_t n = flow_.first[block]; n < flow_.first[block + 1]; ++n) {
            const Effects& e = flow_.effects[n];
            for (const std::int32_t r : e.uses)
                if (const auto f = fact_of_[static_cast<std::size_t>(r)]; f != none) used(f);
            for (const std::int32_t r : e.defs)
                for (auto at = ended_by_[static_cast<std::size_t>(r)]; at != none;
                     at = ends_[at].next)
                    ended(ends_[at].fact);
            for (const std::int32_t r : e.defs)
                if (const auto f = fact_of_[static_cast<std::size_t>(r)]; f != none) begun(f);
        }
    }

    /// Finds the open facts. They are few, because most registers are read in the block that writes
    /// them, or are constants of the first block.
    void find_open() {
        std::vector<std::uint32_t> true_in(facts_.size(), none);
        std::vector<bool> is_open(facts_.size());
        for (std::uint32_t b = 0; b < flow_.blocks(); ++b)
            walk(
                b,
                [&](std::uint32_t f) {
                    const bool of_entry =
                        facts_[f].sources.empty() && b != 0 && flow_.block_of[facts_[f].at] == 0;
                    if (true_in[f] != b && !of_entry) is_open[f] = true;
                },
                [&](std::uint32_t f) { true_in[f] = none; },
                [&](std::uint32_t f) { true_in[f] = b; });
        bit_of_.assign(facts_.size(), none);
        for (std::uint32_t f = 0; f < facts_.size(); ++f)
            if (is_open[f]) {
                bit_of_[f] = static_cast<std::uint32_t>(open_.size());
                open_.push_back(f);
            }
    }

    void ask_everywhere() {
        const std::size_t blocks = flow_.blocks(), words = (open_.size() + 63) / 64;
        if (blocks * words > most_words) {
            for (const auto f : open_) holds_[f] = false;
            return;
        }
        const auto change = [&](Bits& bits, std::uint32_t f, bool value) {
            if (bit_of_[f] == none) return;
            const std::uint64_t bit = std::uint64_t{1} << (bit_of_[f] % 64);
            bits[bit_of_[f] / 64] =
                value ? bits[bit_of_[f] / 64] | bit : bits[bit_of_[f] / 64] & ~bit;
        };
        // A block sets, clears or keeps each bit, so its results for all zeros and for all ones
        // describe it.
        std::vector<Bits> of_none(blocks, Bits(words)),
            of_all(blocks, Bits(words, ~std::uint64_t{})),
            in(blocks, Bits(words, ~std::uint64_t{}));
        for (std::size_t b = 0; b < blocks; ++b)
            for (auto* out : {&of_none[b], &of_all[b]})
                walk(
                    b, [](std::uint32_t) {}, [&](std::uint32_t f) { change(*out, f, false); },
                    [&](std::uint32_t f) { change(*out, f, true); });
        in[0].assign(words, 0);
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t b = 0; b < blocks; ++b)
                for (const std::uint32_t to : flow_.successors[b]) {
                    if (to >= blocks) continue;
                    for (std::size_t w = 0; w < words; ++w) {
                        const std::uint64_t out = of_none[b][w] | (in[b][w] & of_all[b][w]);
                        changed |= (in[to][w] & ~out) != 0;
                        in[to][w] &= out;
                    }
                }
        }
        for (std::size_t b = 0; b < blocks; ++b)
            walk(
                b,
                [&](std::uint32_t f) {
                    if (bit_of_[f] != none &&
                        (in[b][bit_of_[f] / 64] >> (bit_of_[f] % 64) & 1) == 0)
                        holds_[f] = false;
                },
                [&](std::uint32_t f) { change(in[b], f, false); },
                [&](std::uint32_t f) { change(in[b], f, true); });
    }

    struct End {
        std::uint32_t fact, next;
    };
    const Flow& flow_;
    const std::vector<Fact>& facts_;
    std::vector<bool> holds_;
    std::vector<std::uint32_t> fact_of_;   ///< by register
    std::vector<std::uint32_t> ended_by_;  ///< by register: a list in ends_
    std::vector<End> ends_;
    std::vector<std::uint32_t> open_, bit_of_;
};

}  // namespace

std::vector<bool> hold_at_uses(const Flow& flow, std::size_t registers,
                               const std::vector<Fact>& facts) {
    return Facts(flow, registers, facts).answer();
}

}  // namespace cugrade::emulator
