#include "judging/technique.hpp"

#include <algorithm>
#include <limits>

#include "core/technique.hpp"

namespace cugrade {
namespace {

using emulator::Counts;
using emulator::Line;
using emulator::number;
using emulator::Traffic;

/// A counter is a quotient. The denominator is the call's as a whole, so that the numerators of
/// lines add up to that of the call.
struct Rule {
    std::string_view metric;
    double (*numerator)(const Counts&, const TaskProfile&);
    double (*denominator)(const Counts&, const TaskProfile&);
};

Traffic global(const Counts& c) {
    Traffic t = c.global_load;
    t += c.global_store;
    return t;
}
Traffic shared(const Counts& c) {
    Traffic t = c.shared_load;
    t += c.shared_store;
    return t;
}
double elements(const Counts&, const TaskProfile& p) { return number(p.elements); }

constexpr double sector_bytes = 32;

constexpr std::array<Rule, technique_metrics.size()> rules{{
    {"global_atomics_per_element",
     [](const Counts& c, const TaskProfile&) { return number(c.global_atomic.lanes); }, elements},
    // In elements of the output's size: a vector load counts as many as it brings.
    {"global_loads_per_output",
     [](const Counts& c, const TaskProfile& p) {
         return number(c.global_load.bytes) /
                number(std::max<std::uint64_t>(p.output_element_bytes, 1));
     },
     [](const Counts&, const TaskProfile& p) { return number(p.outputs); }},
    {"sectors_per_request",
     [](const Counts& c, const TaskProfile&) { return number(global(c).sectors); },
     [](const Counts& c, const TaskProfile&) { return number(global(c).requests); }},
    {"sectors_per_needed",
     [](const Counts& c, const TaskProfile&) { return number(global(c).sectors); },
     [](const Counts& c, const TaskProfile&) {
         return std::max(number(global(c).bytes) / sector_bytes, number(global(c).requests));
     }},
    {"bank_conflicts_per_access",
     [](const Counts& c, const TaskProfile&) {
         return number(shared(c).wavefronts - shared(c).ideal);
     },
     [](const Counts& c, const TaskProfile&) { return number(shared(c).requests); }},
    {"divergent_branches",
     [](const Counts& c, const TaskProfile&) { return number(c.divergent_branches); },
     [](const Counts& c, const TaskProfile&) { return number(c.branches); }},
    {"host_launches", [](const Counts& c, const TaskProfile&) { return number(c.host_launches); },
     [](const Counts&, const TaskProfile&) { return 1.0; }},
}};

}  // namespace

std::vector<Counter> count_technique(const TaskProfile& profile) {
    Counts all;
    std::map<Line, Counts> lines;
    for (const auto& kernel : profile.counts.kernels) {
        all += kernel.total;
        for (const auto& [line, counts] : kernel.lines) lines[line] += counts;
    }
    std::vector<Counter> out;
    for (const Rule& rule : rules) {
        Counter counter{.metric = std::string(rule.metric), .value = 0, .location = {}};
        if (profile.counts.kernels.empty())
            counter.value = std::numeric_limits<double>::quiet_NaN();
        else if (const double below = rule.denominator(all, profile); below > 0)
            counter.value = rule.numerator(all, profile) / below;
        double most = 0;
        for (const auto& [line, counts] : lines)
            if (const double part = rule.numerator(counts, profile);
                part > most && line.number > 0) {
                most = part;
                counter.location = SourceLocation{line.file, line.number, 0};
            }
        out.push_back(std::move(counter));
    }
    return out;
}

}  // namespace cugrade
