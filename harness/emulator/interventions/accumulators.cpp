#include "emulator/interventions/accumulators.hpp"

#include <algorithm>

#include "emulator/interventions/accesses.hpp"
#include "emulator/interventions/code.hpp"

namespace cugrade::emulator {
namespace {

using ptx::Function;
using ptx::Instruction;

bool is_move(const Instruction& i) { return i.opcode == "mov"; }
bool accumulates(const Instruction& i) {
    return ptx::is_any_of(i.opcode,
                          {"add", "sub", "fma", "mad", "mul", "min", "max", "and", "or", "xor"});
}

/// Does it take part in a sum, or in whatever else, of numbers of that type? A register's own type
/// may say no more than its width.
bool is_of(const Instruction& i, ptx::Type type) {
    return (accumulates(i) && type_of(i) == type) || (is_move(i) && bits(type_of(i)) == bits(type));
}

/// By register, those whose values it is made of.
std::vector<std::vector<std::int32_t>> sources_of(const Function& f, ptx::Type type) {
    std::vector<std::vector<std::int32_t>> sources(f.registers.size());
    for (const Instruction& i : f.instructions) {
        if (!is_of(i, type)) continue;
        for (const std::int32_t to : written_by(f, i))
            for (const std::int32_t from : read_by(f, i))
                if (from != i.guard) sources[static_cast<std::size_t>(to)].push_back(from);
    }
    return sources;
}

std::vector<bool> reached_from(const std::vector<std::vector<std::int32_t>>& next,
                               std::int32_t first) {
    std::vector<bool> seen(next.size(), false);
    std::vector<std::int32_t> open = next[static_cast<std::size_t>(first)];
    while (!open.empty()) {
        const std::int32_t r = open.back();
        open.pop_back();
        if (seen[static_cast<std::size_t>(r)]) continue;
        seen[static_cast<std::size_t>(r)] = true;
        open.insert(open.end(), next[static_cast<std::size_t>(r)].begin(),
                    next[static_cast<std::size_t>(r)].end());
    }
    return seen;
}

}  // namespace

bool Accumulator::has(std::int32_t reg) const { return std::ranges::count(registers, reg) > 0; }

std::vector<Accumulator> accumulators_of(const Function& f, ptx::Type type) {
    const auto sources = sources_of(f, type);
    std::vector<std::vector<std::int32_t>> targets(sources.size());
    for (std::size_t r = 0; r < sources.size(); ++r)
        for (const std::int32_t from : sources[r])
            targets[static_cast<std::size_t>(from)].push_back(static_cast<std::int32_t>(r));
    std::vector<Accumulator> all;
    std::vector<bool> is_known(sources.size(), false);
    for (std::uint32_t n = 0; n < f.instructions.size(); ++n) {
        if (!accumulates(f.instructions[n]) || !is_of(f.instructions[n], type)) continue;
        for (const std::int32_t r : written_by(f, f.instructions[n])) {
            if (is_known[static_cast<std::size_t>(r)]) continue;
            is_known[static_cast<std::size_t>(r)] = true;
            const std::vector<bool> from = reached_from(sources, r), to = reached_from(targets, r);
            if (!from[static_cast<std::size_t>(r)]) continue;  // no circle
            Accumulator one{.accumulates = n};
            for (std::size_t k = 0; k < from.size(); ++k)
                if (from[k] && to[k]) {
                    one.registers.push_back(static_cast<std::int32_t>(k));
                    is_known[k] = true;
                }
            while (std::ranges::none_of(written_by(f, f.instructions[one.first_written]),
                                        [&](std::int32_t w) { return one.has(w); }))
                ++one.first_written;
            all.push_back(std::move(one));
        }
    }
    return all;
}

}  // namespace cugrade::emulator
