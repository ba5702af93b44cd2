// When each kind of change is worth a try.
#include "judging/hypotheses.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "judging/cause_of_change.hpp"
#include "judging/checks.hpp"

namespace cugrade {
namespace {

using emulator::Intervention;
using Kind = emulator::InterventionKind;

constexpr int never = 1000;

/// A file of the student's: others have absolute names.
bool is_own(const Intervention& one) {
    return one.place.line == 0 || !location_of(one.place).file.starts_with('/');
}

bool has_race(const Symptoms& e) {
    return e.has("shared_race") || e.has("global_race") || e.has("missing_syncwarp") ||
           e.has("lost_update") || e.has("missing_atomic");
}

bool is_wrong(const Symptoms& e) {
    return e.has(Verdict::wrong_answer) || e.has(Verdict::unwritten_output) ||
           e.has(Verdict::nondeterministic);
}

/// Where nothing says what is wrong, all is tried, and what is far from any evidence last.
int rank_of(const Intervention& one, const Symptoms& e) {
    const bool near = e.is_at(location_of(one.place));
    // Most people write a barrier behind what it waits for.
    const int outward = one.value < 0 ? 3 : static_cast<int>(one.value);
    switch (one.kind) {
        case Kind::atomic:
            if (e.has("missing_atomic") || e.has("lost_update")) return near ? 0 : 12;
            // After the barriers: where one stands, or is missing, the order of the threads hides
            // that nothing makes the change one step.
            if (has_race(e)) return near ? (e.has("missing_syncwarp") ? 14 : 8) : 20;
            return e.has(Verdict::nondeterministic) ? 10 : 40;
        case Kind::barrier:
            if (e.has("shared_race")) return (near ? 4 : 24) + outward;
            if (e.has("global_race")) return (near ? 8 : 32) + outward;
            if (e.has("missing_syncwarp")) return (near ? 12 : 40) + outward;
            // One thread sets what the others have read before.
            if (e.has("missing_atomic") || e.has("lost_update")) return (near ? 9 : 36) + outward;
            // Where no checker sees a race, a barrier changes no more than the order of the
            // threads.
            return e.has("uninitialised_read") ? (near ? 14 : 36) + outward : never;
        case Kind::warp_barrier:
            if (e.has("missing_syncwarp")) return (near ? 3 : 22) + outward;
            return has_race(e) ? 44 + outward : never;
        case Kind::fence: return e.has("global_race") ? (near ? 9 : 30) : never;
        case Kind::comparison:
            // A turned or negated comparison is rarely what someone writes by mistake. What differs
            // between schedules lacks an order, and is right by luck with another number.
            if (has_race(e) || e.has(Verdict::nondeterministic)) return never;
            // `==` for `!=` is no mistake that people make: where it mends, it is by luck.
            if (one.text.find("`==`") != std::string::npos) return never;
            return (e.has(Verdict::out_of_bounds) ? 20 : 28) + (near ? 0 : 4) +
                   (one.value == 1 || one.value == -1 ? 0
                    : one.value == 3                  ? 2
                                                      : 8);
        case Kind::ignore_outside: return e.has(Verdict::out_of_bounds) ? (near ? 16 : 26) : never;
        case Kind::shared_array:
            return e.has(Verdict::out_of_bounds) ? 5 : is_wrong(e) || has_race(e) ? 19 : never;
        case Kind::by_elements:
            return near && (e.has("misaligned") || e.has(Verdict::launch_error))
                       ? static_cast<int>(one.value)
                       : never;
        case Kind::meeting:
            if (e.has("barrier_divergence") || e.has(Verdict::barrier_divergence))
                return near ? 1 : 15;
            return e.has(Verdict::deadlock) && near ? 6 : never;
        case Kind::together:
            if (e.has("barrier_divergence") || e.has(Verdict::barrier_divergence))
                return near ? 0 : 14;
            return e.has(Verdict::deadlock) ? (near ? 5 : 9) : never;
        case Kind::zero_shared:
            return e.has("uninitialised_read") ? 5 : is_wrong(e) && !has_race(e) ? 18 : never;
        case Kind::zero_memory:
            return e.has("uninitialised_read") || is_wrong(e) || e.has(Verdict::time_limit) ? 7
                                                                                            : never;
        case Kind::grid_larger:
            // With more threads each of them counts less: numbers that are too narrow are right,
            // too.
            if (has_race(e) || e.suggest("counter_too_narrow")) return never;
            return is_wrong(e) || e.has(Verdict::launch_error) ? 8 + (one.value > 1 ? 3 : 0)
                                                               : never;
        case Kind::launch_swapped:
            return is_wrong(e) || e.has(Verdict::out_of_bounds) || e.has(Verdict::launch_error)
                       ? 10
                       : never;
        case Kind::block_rounded: return is_wrong(e) ? 9 : never;
        case Kind::fill_numbers: return is_wrong(e) ? 6 : never;
        case Kind::numbers_exchanged:
        case Kind::launch_xy: return is_wrong(e) || e.has(Verdict::out_of_bounds) ? 11 : never;
        case Kind::dynamic_shared:
        case Kind::allocate_bytes: return e.has(Verdict::out_of_bounds) ? 6 : 19;
        case Kind::copy_bytes:
        case Kind::fill_bytes: return is_wrong(e) || e.has("uninitialised_read") ? 6 : never;
        case Kind::streams_waited_for: return is_wrong(e) || has_race(e) ? 1 : never;
        case Kind::children_in_tail:
        case Kind::children_first: return is_wrong(e) || has_race(e) ? 2 : never;
        case Kind::full_mask:
            if (e.has("mask_without_caller") || e.has("inactive_lane_read") ||
                e.has("barrier_divergence"))
                return near ? 3 : 13;
            if (e.has(Verdict::deadlock)) return near ? 2 : 8;
            return is_wrong(e) ? 21 : never;
        case Kind::unsigned_byte: return is_wrong(e) || e.has(Verdict::out_of_bounds) ? 13 : never;
        case Kind::wide_arithmetic:
            return is_wrong(e) || e.has(Verdict::out_of_bounds) ? 14 : never;
        case Kind::wide_accumulator: return is_wrong(e) ? 15 : never;
        case Kind::reinterpret: return is_wrong(e) ? 16 : never;
        case Kind::identity: return is_wrong(e) && !has_race(e) ? 22 : never;
        case Kind::stride:
            if (has_race(e) || e.has(Verdict::nondeterministic)) return never;
            // A round that steps over too little does the same again.
            if (one.value > 10'000) return is_wrong(e) ? 29 : never;
            // With a shorter step all is done again, which hides much where elements are only set.
            return is_wrong(e) || e.has(Verdict::time_limit) || e.has("uninitialised_read")
                       ? (one.value != -1 ? 7 : 10)
                       : never;
        case Kind::global_index:
            if (e.has(Verdict::unwritten_output)) return 4;
            return is_wrong(e) ? 17 : never;
        case Kind::unclamped: return is_wrong(e) ? 23 : never;
        case Kind::adding_store:
            if (has_race(e) || e.has(Verdict::nondeterministic)) return near ? 3 : 13;
            return is_wrong(e) ? 25 : never;
        case Kind::other_sign:
        case Kind::widened_sign: return is_wrong(e) || e.has(Verdict::out_of_bounds) ? 20 : never;
        case Kind::untruncated: return is_wrong(e) ? 16 : never;
        case Kind::release:
            // What frees a lock or sets a flag is where the fence belongs, and rarely races itself.
            if (e.has("global_race") && one.text.find("atomic") != std::string::npos) return 7;
            [[fallthrough]];
        case Kind::acquire: return e.has("global_race") ? (near ? 9 : 30) : never;
        case Kind::retry: return e.has(Verdict::nondeterministic) ? 4 : is_wrong(e) ? 12 : never;
        case Kind::compare_bits:
            if (e.has(Verdict::time_limit) || e.has(Verdict::deadlock)) return 3;
            return is_wrong(e) ? 24 : never;
        case Kind::shuffle_lane: return is_wrong(e) && !has_race(e) ? 34 : never;
        case Kind::parameter:
            if (has_race(e) || e.has(Verdict::nondeterministic)) return never;
            return is_wrong(e) || e.has(Verdict::out_of_bounds) ? (near ? 34 : 37) : never;
        case Kind::element:
        case Kind::constant:
            // With half as many warps, or rows, all is inside of a shared array that is too small.
            if (e.leaves_shared_array && (one.text.starts_with("the division") ||
                                          one.text.starts_with("the multiplication")))
                return never;
            if (has_race(e) || e.has(Verdict::nondeterministic)) return never;
            return is_wrong(e) || e.has(Verdict::out_of_bounds) ? (near ? 33 : 36) : never;
        case Kind::odd_halving:  // these mend nothing
        case Kind::counter_wrap:
        case Kind::count: break;
    }
    return never;
}

/// Do the patterns of wrong elements speak for it? Those of numbers with too few bits do not tell
/// where the bits are lost.
bool is_suggested(const Cause& cause, const Symptoms& e) {
    if (e.suggest(cause.id)) return true;
    const bool is_of_bits = cause.id == "accumulator_too_narrow" || cause.id == "sign_lost" ||
                            cause.id == "integer_overflow" || cause.id == "counter_too_narrow";
    return is_of_bits && (e.suggest("integer_overflow") || e.suggest("accumulator_too_narrow") ||
                          e.suggest("counter_too_narrow"));
}

/// Whether an operation takes its numbers with a sign, as it did not.
bool gives_sign(const Intervention& one) {
    return (one.kind == Kind::other_sign && one.value > 0) ||
           (one.kind == Kind::comparison &&
            one.text.starts_with("a comparison of unsigned numbers"));
}

constexpr int behind_kept_state = 10;

/// Functions that convert numbers to integers and back: of those only all conversions together can
/// be meant as the bits, as around an atomicCAS.
std::set<std::string> converted_both_ways(std::span<const Intervention> possible) {
    std::map<std::string, std::set<std::string>> texts;
    for (const Intervention& one : possible)
        if (one.kind == Kind::reinterpret) texts[one.function].insert(one.text);
    std::set<std::string> functions;
    for (const auto& [function, ways] : texts)
        if (ways.size() > 1) functions.insert(function);
    return functions;
}

/// Columns for rows, in what a launch passes and in its grid alike. (In the smallest case the grid
/// may be a square, and nothing in it be exchanged.)
void add_exchanges(const Symptoms& e, std::span<const Intervention> possible,
                   std::vector<Hypothesis>& all) {
    constexpr std::int64_t of_grid = 1;
    for (const Intervention& numbers : possible) {
        const int rank = rank_of(numbers, e);
        if (numbers.kind != Kind::numbers_exchanged || rank >= never) continue;
        Intervention grid = numbers;
        grid.kind = Kind::launch_xy;
        grid.value = of_grid;
        Hypothesis both{.rank = rank + 1, .change = {}, .cause = cause_of(numbers, e)};
        both.change.interventions = {numbers, grid};
        all.push_back(std::move(both));
    }
}

/// One constant can be the first value in several places of a kernel, one mask that of several
/// calls, one pointer leads to what is loaded and what is stored, and one variable's type decides
/// on the sign of all that is made of it: all of them together.
void add_joint(const Symptoms& e, std::span<const Intervention> possible,
               std::vector<Hypothesis>& all) {
    constexpr int signs_of_all = 35;  // behind each comparison by itself
    std::map<std::tuple<Kind, std::string, std::int64_t>, std::vector<Intervention>> by_function;
    for (const Intervention& one : possible) {
        if (!is_own(one)) continue;
        if (gives_sign(one)) by_function[{Kind::other_sign, one.function, 1}].push_back(one);
        if (one.kind == Kind::identity || one.kind == Kind::full_mask ||
            one.kind == Kind::by_elements || one.kind == Kind::unsigned_byte ||
            one.kind == Kind::widened_sign || one.kind == Kind::fill_numbers ||
            one.kind == Kind::reinterpret)
            by_function[{one.kind, one.function, one.value}].push_back(one);
    }
    for (auto& [key, list] : by_function) {
        const auto first = std::ranges::min_element(
            list, {}, [&](const Intervention& one) { return rank_of(one, e); });
        const int rank = rank_of(*first, e);
        if (list.size() < 2 || rank >= never) continue;
        const auto named = std::ranges::find(list, std::get<Kind>(key), &Intervention::kind);
        // Before each by itself: a first value is written once, and lands in several places. Of a
        // mask or a pointer one use alone may be wrong.
        const Kind kind = std::get<Kind>(key);
        Hypothesis joint{.rank = kind == Kind::identity     ? rank - 1
                                 : kind == Kind::other_sign ? signs_of_all
                                                            : rank + 1,
                         .change = {},
                         .cause = cause_of(named != list.end() ? *named : *first, e)};
        if (is_suggested(joint.cause, e)) joint.rank = rank / 10;
        joint.change.interventions = std::move(list);
        all.push_back(std::move(joint));
    }
}

}  // namespace

Cause state_kept() {
    Cause cause{.id = "state_kept_between_calls"};
    cause.sentence =
        "The first call is right and a later one is not: a variable outside of the function "
        "still holds what an earlier call has left in it.";
    cause.advice = "Set every static and __device__ variable at the start of each call.";
    return cause;
}

std::set<std::string> right_with_any_grid(std::span<const Intervention> possible) {
    std::set<std::string> kernels;
    for (const Intervention& one : possible)
        if (one.kind == Kind::stride && one.value == -1 && one.text.starts_with("the step"))
            kernels.insert(one.function);
    return kernels;
}

std::vector<Hypothesis> hypotheses(const Symptoms& e, std::span<const Intervention> possible) {
    std::vector<Hypothesis> all;
    const std::set<std::string> both_ways = converted_both_ways(possible);
    for (const Intervention& one : possible) {
        if (!is_own(one)) continue;
        const int rank = rank_of(one, e);
        if (rank >= never || (one.kind == Kind::reinterpret && both_ways.contains(one.function)))
            continue;
        Hypothesis hypothesis{.rank = rank, .change = {}, .cause = cause_of(one, e)};
        if (is_suggested(hypothesis.cause, e)) hypothesis.rank = rank / 10;
        hypothesis.change.interventions = {one};
        hypothesis.change.spares_right = one.kind == Kind::grid_larger && one.value == 1;
        all.push_back(hypothesis);
        if (one.kind != Kind::zero_memory) continue;
        // What a call leaves behind is no zero for the next one.
        hypothesis.change.apart = true;
        hypothesis.rank = behind_kept_state;
        hypothesis.cause.evidence += ", each call in a process of its own";
        all.push_back(std::move(hypothesis));
    }
    add_joint(e, possible, all);
    add_exchanges(e, possible, all);
    if (is_wrong(e) || e.has("uninitialised_read")) {
        Hypothesis zeroed{.rank = 6, .change = {}, .cause = {}};
        zeroed.change.zeroed_outputs = true;
        zeroed.cause.id = "uninitialised_output";
        zeroed.cause.sentence =
            "The output is added to, or left as it was, before anything is stored in it: it begins "
            "as garbage, not as zeros.";
        zeroed.cause.advice = "Set the output first: cudaMemset in front of the kernel.";
        zeroed.cause.evidence = "outputs that begin as zeros";
        zeroed.cause.explains = {"uninitialised_read"};
        if (e.has(Verdict::unwritten_output) && !e.has("uninitialised_read")) {
            zeroed.cause.sentence =
                "Some elements of the output are stored by no thread: they keep what was there.";
            zeroed.cause.advice = "Store them, too, with the value that they have to have.";
            zeroed.cause.explains = {};
        }
        all.push_back(std::move(zeroed));
    }
    if (e.has(Verdict::nondeterministic) || e.has(Verdict::wrong_answer) ||
        e.has(Verdict::deadlock) || e.has(Verdict::time_limit) || e.has("uninitialised_read")) {
        Hypothesis apart{.rank = behind_kept_state - 1, .change = {}, .cause = {}};
        apart.change.apart = true;
        apart.cause = state_kept();
        apart.cause.evidence = "each call in a process of its own";
        all.push_back(std::move(apart));
    }
    std::ranges::stable_sort(all, {}, &Hypothesis::rank);
    return all;
}

std::vector<Hypothesis> hypotheses_of_order(const Symptoms& e, const TaskSpec& task) {
    std::vector<Hypothesis> all;
    if (!e.has(Verdict::wrong_answer) || has_race(e)) return all;
    const auto output = std::ranges::find_if(
        task.arguments, [](const ArgumentSpec& one) { return one.role == Role::output; });
    for (const ArgumentSpec& argument : task.arguments) {
        if (argument.role != Role::input) continue;
        for (const bool transposed : {false, true}) {
            if (transposed && argument.shape.size() != 2) continue;
            const bool is_mask = output != task.arguments.end() && argument.shape != output->shape;
            Hypothesis one{.rank = 12, .change = {}, .cause = {}};
            one.change.reordered = {argument.name, transposed};
            one.cause.id = transposed ? "transposed" : is_mask ? "mask_reversed" : "wrong_element";
            one.cause.sentence =
                transposed ? fmt::format("Rows and columns of `{}` are exchanged where it is read.",
                                         argument.name)
                           : fmt::format("`{}` is read in reverse order.", argument.name);
            one.cause.advice = transposed
                                   ? "The row's number times the length of a row, plus the column."
                                   : "Let its index grow with that of the elements it belongs to.";
            one.cause.evidence = transposed
                                     ? fmt::format("the columns of `{}` as its rows", argument.name)
                                     : fmt::format("`{}` in reverse order", argument.name);
            if (e.suggest(one.cause.id)) one.rank = 0;
            all.push_back(std::move(one));
        }
    }
    return all;
}

}  // namespace cugrade
