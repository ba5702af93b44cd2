// Each kind of change has a row: which cause it proves, when it is worth a try, and what is said.
#include "judging/hypotheses.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "emulator/ptx/module.hpp"
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
            if (has_race(e)) return near ? 2 : 20;
            return e.has(Verdict::nondeterministic) ? 10 : 40;
        case Kind::barrier:
            if (e.has("shared_race")) return (near ? 4 : 24) + outward;
            if (e.has("global_race")) return (near ? 8 : 32) + outward;
            if (e.has("missing_syncwarp")) return (near ? 12 : 40) + outward;
            if (e.has("uninitialised_read") || e.has(Verdict::nondeterministic))
                return (near ? 14 : 36) + outward;
            return never;
        case Kind::warp_barrier:
            if (e.has("missing_syncwarp")) return (near ? 3 : 22) + outward;
            return has_race(e) ? 44 + outward : never;
        case Kind::fence: return e.has("global_race") ? (near ? 9 : 30) : never;
        case Kind::comparison:
            // A turned or negated comparison is rarely what someone writes by mistake. What differs
            // between schedules lacks an order, and is right by luck with another number.
            if (has_race(e) || e.has(Verdict::nondeterministic)) return never;
            return (e.has(Verdict::out_of_bounds) ? 20 : 28) + (near ? 0 : 4) +
                   (one.value == 1 || one.value == -1 ? 0
                    : one.value == 3                  ? 2
                                                      : 8);
        case Kind::ignore_outside: return e.has(Verdict::out_of_bounds) ? (near ? 16 : 26) : never;
        case Kind::zero_shared:
            return e.has("uninitialised_read") ? 5 : is_wrong(e) && !has_race(e) ? 18 : never;
        case Kind::zero_memory:
            return e.has("uninitialised_read") || is_wrong(e) || e.has(Verdict::time_limit) ? 7
                                                                                            : never;
        case Kind::grid_larger:
            // With more threads each of them counts less: numbers that are too narrow are right, too.
            if (has_race(e) || e.suggest("counter_too_narrow")) return never;
            return is_wrong(e) || e.has(Verdict::launch_error) ? 8 + (one.value > 1 ? 3 : 0) : never;
        case Kind::launch_swapped:
            return is_wrong(e) || e.has(Verdict::out_of_bounds) || e.has(Verdict::launch_error)
                       ? 10
                       : never;
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
            return is_wrong(e) ? 21 : never;
        case Kind::unsigned_byte: return is_wrong(e) || e.has(Verdict::out_of_bounds) ? 13 : never;
        case Kind::wide_arithmetic:
            return is_wrong(e) || e.has(Verdict::out_of_bounds) ? 14 : never;
        case Kind::wide_accumulator: return is_wrong(e) ? 15 : never;
        case Kind::reinterpret: return is_wrong(e) ? 16 : never;
        case Kind::identity: return is_wrong(e) && !has_race(e) ? 22 : never;
        case Kind::stride:
            if (has_race(e)) return never;
            // With a shorter step all is done again, which hides much where elements are only set.
            return is_wrong(e) || e.has(Verdict::time_limit) ? (one.value != -1 ? 7 : 10) : never;
        case Kind::global_index:
            if (e.has(Verdict::unwritten_output)) return 4;
            return is_wrong(e) ? 17 : never;
        case Kind::unclamped: return is_wrong(e) ? 23 : never;
        case Kind::adding_store:
            if (has_race(e) || e.has(Verdict::nondeterministic)) return near ? 3 : 13;
            return is_wrong(e) ? 25 : never;
        case Kind::widened_sign: return is_wrong(e) || e.has(Verdict::out_of_bounds) ? 20 : never;
        case Kind::untruncated: return is_wrong(e) ? 16 : never;
        case Kind::release:
            // What frees a lock or sets a flag is where the fence belongs, and rarely races itself.
            if (e.has("global_race") && one.text.find("exchange") != std::string::npos) return 7;
            [[fallthrough]];
        case Kind::acquire: return e.has("global_race") ? (near ? 9 : 30) : never;
        case Kind::retry:
            return e.has(Verdict::nondeterministic) ? 4 : is_wrong(e) ? 12 : never;
        case Kind::compare_bits:
            if (e.has(Verdict::time_limit) || e.has(Verdict::deadlock)) return 3;
            return is_wrong(e) ? 24 : never;
        case Kind::shuffle_lane: return is_wrong(e) && !has_race(e) ? 34 : never;
        case Kind::element:
        case Kind::constant:
            if (has_race(e) || e.has(Verdict::nondeterministic)) return never;
            return is_wrong(e) || e.has(Verdict::out_of_bounds) ? (near ? 33 : 36) : never;
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

std::string at(const SourceLocation& location) { return fmt::format("line {}", location.line); }

std::string line_or(const SourceLocation& location, std::string_view other) {
    return location.line > 0 ? fmt::format("Line {}", location.line) : std::string(other);
}

std::string kernel_of(const Intervention& one) {
    const std::string full = ptx::demangled(one.function);
    const std::string name = full.substr(0, full.find_first_of("(<"));
    return name.substr(name.rfind(' ') + 1);  // a template has its result's type in front
}

/// "`i < n`" of "`<=` to `<`" is more than we know: the texts name the operator alone.
Cause cause_of_comparison(const Intervention& one, const Symptoms& e) {
    Cause cause;
    const bool outside = e.has(Verdict::out_of_bounds);
    const bool is_atomic = one.place.column == 0 && one.value == 3;
    cause.id = is_atomic        ? "sign_lost"
               : one.value == 3 ? "unsigned_index"
               : outside      ? "missing_bounds_check"
                              : "wrong_element";
    cause.sentence =
        one.value == 3
            ? fmt::format(
                  "The comparison in {} treats a negative number as a large positive one, "
                  "or the reverse.",
                  at(location_of(one.place)))
        : outside ? fmt::format(
                        "The comparison in {} lets an index through that lies outside of the "
                        "array.",
                        at(location_of(one.place)))
                  : fmt::format(
                        "The comparison in {} is off by one: it takes an element too many or too "
                        "few.",
                        at(location_of(one.place)));
    if (one.value == 2 || one.value == 4)
        cause.sentence =
            fmt::format("The comparison in {} asks for the opposite.", at(location_of(one.place)));
    cause.advice = fmt::format("Change {} there.", one.text);
    return cause;
}

/// After "with": "`<=` changed to `<` in line 9".
std::string as_told(const Intervention& one) {
    std::string text = one.text;
    if (const std::size_t at = text.find(" to "); at != std::string::npos)
        text.insert(at, " changed");
    if (one.place.line > 0 && text.find("line ") == std::string::npos)
        text += fmt::format(" in line {}", one.place.line);
    return text;
}

Cause cause_of(const Intervention& one, const Symptoms& e) {
    const SourceLocation location = location_of(one.place);
    Cause cause;
    switch (one.kind) {
        case Kind::barrier: {
            const bool shared = !e.has("global_race") || e.has("shared_race");
            cause.id = "missing_barrier";
            cause.sentence = fmt::format(
                "A barrier is missing {} {}: one thread uses what another one of its block stores "
                "in {} memory, and nothing makes it wait.",
                one.value < 0 ? "before" : "after", at(location), shared ? "shared" : "global");
            cause.advice =
                fmt::format("Put __syncthreads() {} {}, where all threads of the block come by.",
                            one.value < 0 ? "before" : "after", at(location));
            cause.explains = {"shared_race", "global_race", "missing_syncwarp",
                              "uninitialised_read"};
            break;
        }
        case Kind::warp_barrier:
            cause.id = "missing_warp_sync";
            cause.sentence = fmt::format(
                "Lanes of one warp pass data through memory around {} and count on running in "
                "lockstep, which they do not have to.",
                at(location));
            cause.advice = fmt::format("Put __syncwarp() {} {}.",
                                       one.value < 0 ? "before" : "after", at(location));
            cause.explains = {"missing_syncwarp"};
            break;
        case Kind::fence:
            cause.id = "missing_fence";
            cause.sentence = fmt::format(
                "What {} stores is not yet seen by other blocks when they are told that it is "
                "there.",
                at(location));
            cause.advice =
                fmt::format("Put __threadfence() after {}, before the signal.", at(location));
            cause.explains = {"global_race"};
            break;
        case Kind::atomic:
            cause.id = "missing_atomic";
            cause.sentence = fmt::format(
                "{} loads a value, changes it and stores it back while other threads do the same: "
                "one's result overwrites another's.",
                line_or(location, "The kernel"));
            cause.advice = fmt::format("Use {}: it does all three in one step.", one.text);
            if (one.text.find("atomicExch") != std::string::npos) {
                cause.sentence = fmt::format(
                    "{} reads a word that another value then replaces, in two steps: two threads may "
                    "read the same one, and both replace it.",
                    line_or(location, "The kernel"));
                cause.advice = fmt::format("Use {}: it does both in one step.", one.text);
            }
            cause.explains = {"shared_race",    "global_race", "missing_syncwarp",
                              "missing_atomic", "lost_update", "nondeterministic"};
            break;
        case Kind::comparison: cause = cause_of_comparison(one, e); break;
        case Kind::ignore_outside:
            cause.id = "missing_bounds_check";
            cause.sentence = fmt::format(
                "Some threads have no element at {}, and access memory outside of the array.",
                at(location));
            cause.advice = "Let only those threads access it whose index lies inside of the array.";
            cause.explains = {"out_of_bounds"};
            break;
        case Kind::zero_shared:
            cause.id = "uninitialised_shared";
            cause.sentence =
                "Shared memory is used before anything is stored in it; it begins as garbage, not "
                "as zeros.";
            cause.advice =
                "Let the threads of the block set it first, with __syncthreads() behind that.";
            cause.explains = {"uninitialised_read"};
            break;
        case Kind::zero_memory:
            cause.id = "uninitialised_variable";
            cause.sentence =
                "Memory of cudaMalloc is used before anything is stored in it; it begins as "
                "garbage, not as zeros.";
            cause.advice = "Set it first: cudaMemset, or a kernel.";
            cause.explains = {"uninitialised_read"};
            break;
        case Kind::grid_larger:
            cause.id = "grid_too_small";
            cause.sentence = fmt::format(
                "`{}` is launched with too few blocks: elements at the end have no thread.",
                kernel_of(one));
            cause.advice = "Round the number of blocks up: (n + threads - 1) / threads.";
            break;
        case Kind::launch_swapped:
            cause.id = "launch_swapped";
            cause.sentence = fmt::format(
                "`{}` is launched with the number of blocks and that of threads exchanged.",
                kernel_of(one));
            cause.advice = "Write the grid first: kernel<<<blocks, threads>>>.";
            break;
        case Kind::launch_xy:
            cause.id = "launch_swapped";
            cause.sentence = fmt::format("`{}` is launched with {}.", kernel_of(one), one.text);
            cause.advice = "Columns go with x, rows with y: in grid, block and index alike.";
            break;
        case Kind::dynamic_shared:
            cause.id = "size_in_elements";
            cause.sentence = fmt::format(
                "`{}` is launched with too little dynamic shared memory: the third number in "
                "<<<>>> counts bytes, not elements.",
                kernel_of(one));
            cause.advice = "Multiply the number of elements by sizeof of their type.";
            cause.explains = {"out_of_bounds"};
            break;
        case Kind::allocate_bytes:
        case Kind::copy_bytes:
        case Kind::fill_bytes:
            cause.id = "size_in_elements";
            cause.sentence = fmt::format(
                "The call in {} is given a number of elements where it takes a number of bytes.",
                at(location));
            cause.advice = "Multiply the number of elements by sizeof of their type.";
            cause.explains = {"out_of_bounds", "uninitialised_read"};
            break;
        case Kind::streams_waited_for:
            cause.id = "stream_not_waited_for";
            cause.sentence =
                "Work in one stream is used by another stream, or by the host, before it is done.";
            cause.advice =
                "Wait for it: cudaStreamSynchronize, or an event between the two streams.";
            cause.explains = {"global_race", "uninitialised_read"};
            break;
        case Kind::children_first:
        case Kind::children_in_tail:
            cause.id = "child_not_in_tail";
            cause.sentence =
                "A kernel that a kernel launches runs at another time than the program counts on.";
            cause.advice =
                "Launch it into cudaStreamTailLaunch: it then runs after all blocks of the grid "
                "that launches it.";
            cause.explains = {"global_race", "uninitialised_read"};
            break;
        case Kind::full_mask:
            cause.id = "wrong_shuffle_mask";
            cause.sentence = fmt::format(
                "The mask of the warp-level call in {} does not name the lanes that take part.",
                at(location));
            cause.advice = fmt::format("Use {} there.", one.text);
            cause.explains = {"mask_without_caller", "inactive_lane_read", "barrier_divergence"};
            break;
        case Kind::unsigned_byte:
            cause.id = "signed_byte";
            cause.sentence =
                fmt::format("{} takes a byte as a number with a sign: from 128 on it is negative.",
                            line_or(location, "The kernel"));
            cause.advice = "Use unsigned char, or convert to it first.";
            cause.explains = {"out_of_bounds"};
            break;
        case Kind::wide_arithmetic:
            cause.id = "integer_overflow";
            cause.sentence = fmt::format(
                "{} computes in 32 bits what does not fit, and widens the result afterwards.",
                line_or(location, "The kernel"));
            cause.advice = "Widen an operand first: (long long)a * b.";
            cause.explains = {"out_of_bounds"};
            break;
        case Kind::wide_accumulator:
            cause.id = "accumulator_too_narrow";
            cause.sentence =
                one.value == 0 ? fmt::format(
                                     "The sum in {} is kept in a float: it loses digits with every "
                                     "addition.",
                                     at(location))
                               : fmt::format("The sum in {} is kept in 32 bits, which it outgrows.",
                                             at(location));
            cause.advice = one.value == 0 ? "Add up in a double, and convert once at the end."
                                          : "Add up in a long long.";
            break;
        case Kind::untruncated:
            cause.id = "accumulator_too_narrow";
            cause.sentence = fmt::format(
                "{} puts a value into a type that is too narrow for it: what does not "
                "fit is lost.",
                line_or(location, "The kernel"));
            cause.advice = fmt::format("Keep {} there.", one.text);
            break;
        case Kind::widened_sign:
            cause.id = "sign_lost";
            cause.sentence =
                fmt::format("{} widens a number {}: {}", line_or(location, "The kernel"),
                            one.value > 0 ? "without its sign" : "with a sign that it has not",
                            one.value > 0 ? "a negative one becomes a large positive one."
                                          : "a large one becomes a negative one.");
            cause.advice = one.value > 0 ? "Convert it to a signed type first: (long long)(int)x."
                                         : "Convert it to an unsigned type first.";
            break;
        case Kind::stride:
            cause.id = "wrong_stride";
            cause.sentence =
                one.value > 0
                    ? fmt::format(
                          "The loop's step in {} is that of one block, while all blocks of "
                          "the grid run it: they take each other's elements again.",
                          at(location))
                    : fmt::format(
                          "The loop's step in {} is that of the whole grid, while each "
                          "block has its own part: elements are left out.",
                          at(location));
            cause.advice =
                one.value != -1 ? "Step by blockDim.x * gridDim.x." : "Step by blockDim.x.";
            if (one.value < -1) {
                cause.sentence = fmt::format(
                    "The loop's step in {} is {} times that of the whole grid: elements are left "
                    "out.",
                    at(location), -one.value);
            } else if (one.value > 1) {
                cause.sentence = fmt::format(
                    "The loop's step in {} counts on blocks of {} threads, which the launch does "
                    "not make: elements are taken twice, or left out.",
                    at(location), one.value);
            } else if (one.text.find("distance") != std::string::npos) {
                cause.sentence = fmt::format(
                    "The elements of a thread in {} lie one block apart, where other blocks have "
                    "theirs: elements are taken twice, and others never.",
                    at(location));
                cause.advice = "Let them lie blockDim.x * gridDim.x apart.";
            }
            break;
        case Kind::global_index:
            cause.id = "wrong_element";
            cause.sentence = fmt::format(
                "{} takes threadIdx.x alone as the index: every block works on the elements of the "
                "first one.",
                line_or(location, "The kernel"));
            cause.advice = "Use blockIdx.x * blockDim.x + threadIdx.x.";
            break;
        case Kind::unclamped:
            cause.id = "saturated";
            cause.sentence =
                fmt::format("{} cuts a value off at a limit, which the task does not ask for.",
                            line_or(location, "The kernel"));
            cause.advice = "Leave the limit away: a conversion to the smaller type wraps around.";
            break;
        case Kind::adding_store:
            cause.id = "blocks_not_combined";
            cause.sentence = fmt::format(
                "{} stores a part of the result over that of others: only one of the parts is "
                "left.",
                line_or(location, "The kernel"));
            cause.advice =
                "Add it with atomicAdd to an output that begins as zeros, or give each block a "
                "place of its own and add those up in a second kernel.";
            cause.explains = {"global_race", "nondeterministic", "missing_atomic"};
            break;
        case Kind::reinterpret:
            cause.id = "converted_not_reinterpreted";
            cause.sentence =
                fmt::format("The conversion in {} rounds a number, where its bits are to be kept.",
                            at(location));
            cause.advice =
                "Use __float_as_int, __double_as_longlong and their reverses for the bits.";
            break;
        case Kind::identity:
            cause.id = "wrong_identity";
            cause.sentence = fmt::format("What {} starts from is not neutral for the operation.",
                                         location.line > 0 ? at(location) : "the computation");
            cause.advice = fmt::format("Change {}.", one.text);
            break;
        case Kind::release:
        case Kind::acquire:
            cause.id = "missing_fence";
            cause.sentence = fmt::format(
                "{} hands data to other threads by a plain access: nothing says that what was "
                "stored before it is seen with it.",
                line_or(location, "The kernel"));
            cause.advice = one.kind == Kind::release
                               ? fmt::format("Put __threadfence() before {}.", at(location))
                               : fmt::format("Put __threadfence() after {}.", at(location));
            cause.explains = {"global_race", "shared_race"};
            break;
        case Kind::retry:
            cause.id = "no_retry";
            cause.sentence = fmt::format(
                "The `atomicCAS` in {} is tried once: if another thread has changed the word since "
                "it was read, nothing is stored, and this thread's value is lost.",
                at(location));
            cause.advice =
                "Repeat it in a loop: as long as it returns another value than the expected one, "
                "compute the new value from what it has returned, and try again.";
            cause.explains = {"nondeterministic"};
            if (one.value == 1) {
                cause.sentence = fmt::format(
                    "The new value is computed once, in {}, from what was in the word then: when the "
                    "swap is tried again, another thread's change is overwritten.",
                    at(location));
                cause.advice =
                    "Compute it in the loop, from the value that the `atomicCAS` has returned.";
            }
            break;
        case Kind::compare_bits:
            cause.id = "compare_as_value";
            cause.sentence = fmt::format(
                "The comparison in {} compares floating-point values, where the bits are meant: a "
                "NaN never equals itself, so the loop around the compare-and-swap does not end.",
                at(location));
            if (!e.has(Verdict::time_limit) && !e.has(Verdict::deadlock))
                cause.sentence = fmt::format(
                    "The comparison in {} compares floating-point values, where the bits are meant: "
                    "a NaN never equals itself, and 0 equals -0.",
                    at(location));
            cause.advice =
                "Compare the integers that atomicCAS takes and returns, not the floats made of them.";
            break;
        case Kind::shuffle_lane:
        case Kind::element:
        case Kind::constant:
            cause.id = one.value == 2 || one.value == -2 ? "wrong_stride" : "wrong_element";
            cause.sentence = fmt::format("{} takes another element than is meant.",
                                         line_or(location, "The kernel"));
            cause.advice = one.kind == Kind::element ? fmt::format("It is right if {}.", one.text)
                                                     : fmt::format("Change {}.", one.text);
            break;
        case Kind::count: break;
    }
    cause.location = location;
    if (one.kind == Kind::release && location.line > 1) {
        // The fence goes in front of it.
        cause.location.line = location.line - 1;
        cause.location.column = 0;
        cause.end_line = location.line;
    }
    if (one.kind == Kind::barrier || one.kind == Kind::warp_barrier || one.kind == Kind::fence)
        cause.location.column = 0;
    cause.evidence = as_told(one);
    return cause;
}

/// One constant can be the first value in several places of a kernel: all of them together.
void add_joint_first_values(const Symptoms& e, std::span<const Intervention> possible,
                            std::vector<Hypothesis>& all) {
    std::map<std::pair<std::string, std::int64_t>, std::vector<Intervention>> by_function;
    for (const Intervention& one : possible)
        if (one.kind == Kind::identity && is_own(one))
            by_function[{one.function, one.value}].push_back(one);
    for (auto& [key, list] : by_function) {
        const int rank = rank_of(list.front(), e);
        if (list.size() < 2 || rank >= never) continue;
        // Before each by itself: a first value is written once, and lands in several places.
        Hypothesis joint{.rank = rank - 1, .change = {}, .cause = cause_of(list.front(), e)};
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

std::vector<Hypothesis> hypotheses(const Symptoms& e, std::span<const Intervention> possible) {
    std::vector<Hypothesis> all;
    for (const Intervention& one : possible) {
        if (!is_own(one)) continue;
        const int rank = rank_of(one, e);
        if (rank >= never) continue;
        Hypothesis hypothesis{.rank = rank, .change = {}, .cause = cause_of(one, e)};
        if (is_suggested(hypothesis.cause, e)) hypothesis.rank = rank / 10;
        hypothesis.change.interventions = {one};
        hypothesis.change.spares_right = one.kind == Kind::grid_larger && one.value == 1;
        all.push_back(std::move(hypothesis));
    }
    add_joint_first_values(e, possible, all);
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
    if (e.has(Verdict::nondeterministic) || e.has(Verdict::wrong_answer)) {
        Hypothesis apart{.rank = 9, .change = {}, .cause = {}};
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
