// The result of judging one case. A task's verdict is the worst of its cases' verdicts.
#pragma once

#include <optional>
#include <string_view>

namespace cugrade {

/// In order of severity: `worst` compares the values. harness_error outranks all others, because a
/// failure of ours is never charged to the student.
enum class Verdict {
    accepted,
    skipped,           ///< not judged: needs a GPU, or what the emulated one lacks
    function_missing,  ///< first, so that a function not written yet does not hide how another one
                       ///< failed
    compile_error,
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
    suspicious,  ///< cugrade fails on this submission again and again, and on no other
    harness_error,
};

[[nodiscard]] std::string_view name(Verdict);
[[nodiscard]] std::optional<Verdict> verdict_from_name(std::string_view);
/// One line for a student: what the verdict means.
[[nodiscard]] std::string_view meaning(Verdict);
[[nodiscard]] Verdict worst(Verdict, Verdict);
/// Such an error is present in every run and shows only sometimes: a right result beside it is
/// luck.
[[nodiscard]] bool leaves_the_rest_to_luck(Verdict);
/// False for what could not be judged (skipped, harness_error): neither earned nor lost.
[[nodiscard]] bool is_judged(Verdict);

}  // namespace cugrade
