#include "core/verdict.hpp"

#include <algorithm>
#include <array>

namespace cugrade {
namespace {

struct Row {
    Verdict verdict;
    std::string_view name;
    std::string_view meaning;
};

constexpr std::array rows{
    Row{Verdict::accepted, "accepted", "the result is right"},
    Row{Verdict::skipped, "skipped", "not judged on this machine or in this run"},
    Row{Verdict::function_missing, "function_missing",
        "the function of this task is not there"},
    Row{Verdict::compile_error, "compile_error", "the submission does not compile or link"},
    Row{Verdict::wrong_answer, "wrong_answer", "the result differs from the expected one"},
    Row{Verdict::unwritten_output, "unwritten_output", "part of the output was never written"},
    Row{Verdict::nondeterministic, "nondeterministic",
        "the result depends on the order in which warps, blocks and streams run"},
    Row{Verdict::uninitialised_read, "uninitialised_read", "memory was read before it was written"},
    Row{Verdict::data_race, "data_race", "two threads access one location without ordering"},
    Row{Verdict::out_of_bounds, "out_of_bounds", "an access outside every allocated buffer"},
    Row{Verdict::barrier_divergence, "barrier_divergence",
        "threads of one block wait at different barriers"},
    Row{Verdict::deadlock, "deadlock", "no thread can make progress any more"},
    Row{Verdict::time_limit, "time_limit", "the kernel or the host code ran too long"},
    Row{Verdict::memory_limit, "memory_limit", "the submission used more memory than is allowed"},
    Row{Verdict::output_limit, "output_limit", "the submission printed or wrote too much"},
    Row{Verdict::launch_error, "launch_error", "a CUDA call or kernel launch failed"},
    Row{Verdict::crash, "crash", "the host code of the submission ended abnormally"},
    Row{Verdict::forbidden, "forbidden", "the submission uses what the assignment rules out"},
    Row{Verdict::tampering, "tampering", "the submission interfered with its grading"},
    Row{Verdict::suspicious, "suspicious",
        "cugrade fails on this submission and on no other: worth nothing until a person decides"},
    Row{Verdict::harness_error, "harness_error",
        "cugrade or the machine failed; nothing is charged"},
};

const Row& row(Verdict v) { return rows[static_cast<std::size_t>(v)]; }

}  // namespace

std::string_view name(Verdict v) { return row(v).name; }
std::string_view meaning(Verdict v) { return row(v).meaning; }

std::optional<Verdict> verdict_from_name(std::string_view text) {
    const auto* it = std::ranges::find(rows, text, &Row::name);
    if (it == rows.end()) return std::nullopt;
    return it->verdict;
}

Verdict worst(Verdict a, Verdict b) { return std::max(a, b); }

bool leaves_the_rest_to_luck(Verdict v) {
    return v == Verdict::nondeterministic || v == Verdict::uninitialised_read ||
           v == Verdict::data_race || v == Verdict::barrier_divergence || v == Verdict::tampering ||
           v == Verdict::suspicious;
}

bool is_judged(Verdict v) { return v != Verdict::skipped && v != Verdict::harness_error; }

}  // namespace cugrade
