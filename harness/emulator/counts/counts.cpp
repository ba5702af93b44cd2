#include "emulator/counts/counts.hpp"

namespace cugrade::emulator {
namespace {

constexpr std::string_view class_names[] = {
    "integer", "fp16",  "fp32",   "fp64",    "special", "conversion", "move",  "predicate",
    "load",    "store", "atomic", "control", "barrier", "warp",       "fence", "other"};
static_assert(std::size(class_names) == static_cast<std::size_t>(InstructionClass::count));

}  // namespace

std::string_view name_of(InstructionClass c) { return class_names[static_cast<std::size_t>(c)]; }

Traffic& Traffic::operator+=(const Traffic& o) {
    requests += o.requests;
    lanes += o.lanes;
    bytes += o.bytes;
    sectors += o.sectors;
    wavefronts += o.wavefronts;
    ideal += o.ideal;
    return *this;
}

Counts& Counts::operator+=(const Counts& o) {
    warp_instructions += o.warp_instructions;
    thread_instructions += o.thread_instructions;
    for (std::size_t n = 0; n < by_class.size(); ++n) by_class[n] += o.by_class[n];
    branches += o.branches;
    divergent_branches += o.divergent_branches;
    global_load += o.global_load;
    global_store += o.global_store;
    global_atomic += o.global_atomic;
    shared_load += o.shared_load;
    shared_store += o.shared_store;
    shared_atomic += o.shared_atomic;
    local_load += o.local_load;
    local_store += o.local_store;
    constant_loads += o.constant_loads;
    barriers += o.barriers;
    host_launches += o.host_launches;
    return *this;
}

LineTiming& LineTiming::operator+=(const LineTiming& o) {
    lines += o.lines;
    stored_lines += o.stored_lines;
    missed_requests += o.missed_requests;
    missed_lines += o.missed_lines;
    missed_sectors += o.missed_sectors;
    issue_slots += o.issue_slots;
    passes += o.passes;
    again_sectors += o.again_sectors;
    again_reach += o.again_reach;
    shared_swaps += o.shared_swaps;
    global_swap_rounds += o.global_swap_rounds;
    global_swaps += o.global_swaps;
    return *this;
}

}  // namespace cugrade::emulator
