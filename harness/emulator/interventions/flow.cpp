#include "emulator/interventions/flow.hpp"

#include <algorithm>

#include "emulator/ptx/post_dominators.hpp"

namespace cugrade::emulator {

bool leaves(const ptx::Instruction& i) {
    return ptx::is_any_of(i.opcode, {"bra", "brx", "ret", "exit", "trap"});
}

std::vector<std::vector<std::uint32_t>> successors_of(const ptx::Function& f) {
    const auto end = static_cast<std::uint32_t>(f.instructions.size());
    std::vector<std::vector<std::uint32_t>> after(end);
    for (std::uint32_t n = 0; n < end; ++n) {
        const ptx::Instruction& i = f.instructions[n];
        if (!leaves(i) || i.guard >= 0) after[n].push_back(n + 1);
        if (i.opcode == "bra")
            after[n].push_back(f.operands[i.first_operand].target);
        else if (i.opcode == "brx")
            for (const std::uint32_t to : f.branch_tables[f.operands[i.first_operand + 1].target])
                after[n].push_back(to);
        else if (leaves(i))
            after[n].push_back(end);
    }
    return after;
}

std::vector<bool> first_of_lines(const ptx::Function& f,
                                 const std::vector<std::vector<std::uint32_t>>& successors) {
    std::vector<bool> first(f.instructions.size() + 1, false);
    first[0] = true;
    for (std::size_t n = 0; n < successors.size(); ++n)
        if (leaves(f.instructions[n])) {
            first[n + 1] = true;
            for (const std::uint32_t to : successors[n]) first[to] = true;
        }
    return first;
}

Region region_of(const std::vector<std::vector<std::uint32_t>>& successors, std::uint32_t branch,
                 std::uint32_t meeting) {
    Region region{.branch = branch, .meeting = meeting};
    std::vector<bool> seen(successors.size() + 1, false);
    std::vector<std::uint32_t> open = successors[branch];
    seen[meeting] = true;
    while (!open.empty()) {
        const std::uint32_t n = open.back();
        open.pop_back();
        if (seen[n]) continue;
        seen[n] = true;
        region.inside.push_back(n);
        for (const std::uint32_t to : successors[n]) open.push_back(to);
    }
    region.is_loop = seen[branch];
    std::ranges::sort(region.inside);
    return region;
}

std::vector<std::uint32_t> meetings_of(const std::vector<std::vector<std::uint32_t>>& successors) {
    std::vector<std::uint32_t> meetings = ptx::post_dominators(successors);
    for (std::uint32_t& m : meetings)
        m = std::min(m, static_cast<std::uint32_t>(successors.size()));
    return meetings;
}

}  // namespace cugrade::emulator
