// What became of one case. A task's verdict is the worst of its cases'.
#pragma once

#include <optional>
#include <string_view>

namespace cugrade {

/// In order of severity: `worst` compares the values. harness_error outranks all others, because
/// a result that we could not make is never charged to the student.
enum class Verdict {
    accepted,
    skipped,        ///< not judged: needs a GPU, or an earlier case of the task hung
    compile_error,  ///< first, so that a function not written yet does not hide how another one
                    ///< failed
    wrong_answer,
    unwritten_output,
    nondeterministic,
    uninitialised_read,
    data_race,
    out_of_bounds,
    barrier_divergence,
    deadlock,
    time_limit,
    memory_limit,
    output_limit,
    launch_error,
    crash,
    forbidden,
    tampering,
    harness_error,
};

[[nodiscard]] std::string_view name(Verdict);
[[nodiscard]] std::optional<Verdict> verdict_from_name(std::string_view);
/// One line for a student: what the verdict means.
[[nodiscard]] std::string_view meaning(Verdict);
[[nodiscard]] Verdict worst(Verdict, Verdict);
/// False for what could not be judged (skipped, harness_error): neither earned nor lost.
[[nodiscard]] bool is_judged(Verdict);

}  // namespace cugrade
