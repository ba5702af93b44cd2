#include "emulator/ptx/registers.hpp"

#include <algorithm>

namespace cugrade::ptx {
namespace {

void collect(const Function& f, const Operand& o, std::vector<std::int32_t>& into) {
    if (o.kind == OperandKind::vector)
        for (std::uint32_t n = 0; n < o.count; ++n) collect(f, f.operands[o.first + n], into);
    else if ((o.kind == OperandKind::reg || o.kind == OperandKind::address) && o.reg >= 0)
        into.push_back(o.reg);
}

}  // namespace

bool has_result(const Instruction& i) {
    if (is_any_of(i.opcode, {"bar", "barrier"})) return i.has("red");
    return !is_any_of(i.opcode, {"st",
                                 "red",
                                 "membar",
                                 "fence",
                                 "bra",
                                 "brx",
                                 "call",
                                 "ret",
                                 "exit",
                                 "trap",
                                 "brkpt",
                                 "nanosleep",
                                 "cp",
                                 "stmatrix",
                                 "prefetch",
                                 "prefetchu",
                                 "pmevent",
                                 "discard",
                                 "applypriority",
                                 "setmaxnreg",
                                 "griddepcontrol"});
}

std::uint32_t results_of(const Instruction& i) {
    return has_result(i) ? std::min<std::uint32_t>(i.paired ? 2 : 1, i.operand_count) : 0;
}

std::vector<std::int32_t> written_by(const Function& f, const Instruction& i) {
    std::vector<std::int32_t> all;
    for (std::uint32_t n = 0; n < results_of(i); ++n)
        collect(f, f.operands[i.first_operand + n], all);
    return all;
}

std::vector<std::int32_t> read_by(const Function& f, const Instruction& i) {
    std::vector<std::int32_t> all;
    for (std::uint32_t n = results_of(i); n < i.operand_count; ++n)
        collect(f, f.operands[i.first_operand + n], all);
    if (i.guard >= 0) all.push_back(i.guard);
    return all;
}

}  // namespace cugrade::ptx
