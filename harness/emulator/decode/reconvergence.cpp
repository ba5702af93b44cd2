// Where lanes that part at a branch meet again: its immediate post-dominator, instruction by
// instruction.
#include <algorithm>

#include "emulator/ops/lane_loops.hpp"
#include "emulator/ptx/post_dominators.hpp"

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
    const u32 count = f.end - f.entry;
    std::vector<std::vector<u32>> after(count);
    for (u32 n = 0; n < count; ++n) successors(program, f, f.entry + n, after[n]);
    const std::vector<u32> nearest = ptx::post_dominators(after);
    for (u32 n = 0; n < count; ++n)
        if (nearest[n] != ptx::no_meeting && nearest[n] != count)
            program.reconvergence[f.entry + n] = f.entry + nearest[n];
}

}  // namespace

void find_reconvergence(Program& program) {
    program.reconvergence.assign(program.code.size(), no_meeting);
    for (const DecodedFunction& f : program.functions) analyse(program, f);
}

}  // namespace cugrade::emulator
