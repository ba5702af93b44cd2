// Where lanes that part at a branch meet again: its immediate post-dominator.
//
// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001), on the reversed flow of
// each function, instruction by instruction. An extra node behind the instructions stands for the
// function's end.
#include <algorithm>

#include "emulator/ops/lane_loops.hpp"

namespace cugrade::emulator {
namespace {

void successors(const Program& program, const DecodedFunction& f, u32 n, std::vector<u32>& to) {
    const Ins& i = program.code[n];
    const auto add = [&](u32 target) {
        to.push_back(target >= f.entry && target < f.end ? target - f.entry : f.end - f.entry);
    };
    to.clear();
    // `op` is right in watched code, too, which replaces only the handlers `fast` and `slow`.
    if (i.op == op::bra) {
        add(i.target);
    } else if (i.op == op::bra_if) {
        add(n + 1);
        add(i.target);
    } else if (i.op == op::brx) {
        for (const u32 target : program.tables[i.aux]) add(target);
    } else if (i.op == op::ret || i.op == op::exit || i.op == op::trap) {
        add(f.end);
    } else {
        add(n + 1);
    }
}

void analyse(Program& program, const DecodedFunction& f) {
    const u32 count = f.end - f.entry, end = count;
    if (count == 0) return;
    std::vector<std::vector<u32>> before(count + 1);
    std::vector<std::vector<u32>> after(count);
    for (u32 n = 0; n < count; ++n) {
        successors(program, f, f.entry + n, after[n]);
        for (const u32 to : after[n]) before[to].push_back(n);
    }
    // Post-order of the reversed flow, from the end.
    constexpr u32 unseen = 0xFFFFFFFF;
    std::vector<u32> number(count + 1, unseen), order;
    std::vector<std::pair<u32, std::size_t>> open{{end, 0}};
    std::vector<bool> seen(count + 1);
    seen[end] = true;
    while (!open.empty()) {
        auto& [node, next] = open.back();
        if (next < before[node].size()) {
            const u32 to = before[node][next++];
            if (!seen[to]) {
                seen[to] = true;
                open.emplace_back(to, 0);
            }
            continue;
        }
        number[node] = static_cast<u32>(order.size());
        order.push_back(node);
        open.pop_back();
    }
    std::vector<u32> nearest(count + 1, unseen);
    nearest[end] = end;
    for (bool changed = true; changed;) {
        changed = false;
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            const u32 node = *it;
            if (node == end) continue;
            u32 meet = unseen;
            for (u32 to : after[node]) {
                if (nearest[to] == unseen) continue;
                if (meet == unseen) {
                    meet = to;
                    continue;
                }
                while (meet != to) {
                    while (number[meet] < number[to]) meet = nearest[meet];
                    while (number[to] < number[meet]) to = nearest[to];
                }
            }
            if (nearest[node] != meet) {
                nearest[node] = meet;
                changed = true;
            }
        }
    }
    for (u32 n = 0; n < count; ++n)
        if (nearest[n] != unseen && nearest[n] != end)
            program.reconvergence[f.entry + n] = f.entry + nearest[n];
}

}  // namespace

void find_reconvergence(Program& program) {
    program.reconvergence.assign(program.code.size(), no_meeting);
    for (const DecodedFunction& f : program.functions) analyse(program, f);
}

}  // namespace cugrade::emulator
