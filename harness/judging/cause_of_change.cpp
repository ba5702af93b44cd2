#include "judging/cause_of_change.hpp"

#include <fmt/format.h>

#include "emulator/ptx/module.hpp"
#include "judging/checks.hpp"

namespace cugrade {
namespace {

using emulator::Intervention;
using ChangeKind = emulator::InterventionKind;

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
               : outside        ? "missing_bounds_check"
                                : "wrong_element";
    cause.sentence =
        one.value == 3
            ? fmt::format(
                  "The comparison in {} treats a negative number as a large positive one, "
                  "or the reverse.",
                  at(location_of(one.place)))
        : outside
            ? fmt::format(
                  "The comparison in {} lets an index through that lies outside of the array.",
                  at(location_of(one.place)))
            : fmt::format(
                  "The comparison in {} is off by one: it takes an element too many or too few.",
                  at(location_of(one.place)));
    if (one.value == 2 || one.value == 4)
        cause.sentence =
            fmt::format("The comparison in {} asks for the opposite.", at(location_of(one.place)));
    cause.advice = fmt::format("Change {} there.", one.text);
    return cause;
}

/// What a changed number of a loop makes of its rounds.
struct Rounds {
    explicit Rounds(const Intervention& one) {
        const bool begins = one.text.find("first number") != std::string::npos;
        const bool falls = one.text.starts_with("the falling");
        const bool is_scaled = one.value == 2 || one.value == -2;
        const bool is_larger = one.value > 0;
        of_distances = one.text.find("distances") != std::string::npos;
        first_distance = begins && is_scaled;
        takes_more = of_distances ? one.text.ends_with("more") : (is_larger == begins) == falls;
    }
    bool of_distances;    ///< it ends at another one
    bool first_distance;  ///< it begins at another one
    bool takes_more;      ///< with the change
};

/// A loop that runs a round too many or too few, at its one end or the other: the compiler may
/// count other numbers than the source.
Cause cause_of_loop(const Intervention& one) {
    const Rounds rounds(one);
    const bool is_tree = rounds.first_distance || (rounds.of_distances && rounds.takes_more);
    Cause cause{.id = is_tree             ? "tree_level_missing"
                      : rounds.takes_more ? "elements_ignored"
                                          : "wrong_element"};
    if (rounds.first_distance) {
        cause.sentence = fmt::format("The loop in {} begins at another distance than it has to.",
                                     at(location_of(one.place)));
        cause.advice = fmt::format(
            "Write down the distances that the loop takes: it is right if it begins at {}.",
            one.text.substr(one.text.rfind(' ') + 1));
        return cause;
    }
    if (rounds.of_distances) {
        cause.sentence =
            fmt::format("The loop in {} ends one distance too {}.", at(location_of(one.place)),
                        rounds.takes_more ? "early" : "late");
        cause.advice =
            "Write down the distances that the loop takes, and compare the last one with that at "
            "which all elements have been brought together.";
        return cause;
    }
    cause.sentence = fmt::format("The loop in {} runs too {} rounds.", at(location_of(one.place)),
                                 rounds.takes_more ? "few" : "many");
    cause.advice =
        "Write down the first and the last number that the loop takes, and compare them with those "
        "that it has to take.";
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

/// After "with": "one round more of the loop in line 9". What the compiler counts, nobody has
/// written.
std::string as_rounds(const Intervention& one) {
    const Rounds rounds(one);
    const bool is_scaled = one.value == 2 || one.value == -2;
    if (is_scaled && !rounds.of_distances) {
        std::string text = as_told(one);
        constexpr std::string_view falling = "falling ";
        if (const std::size_t at = text.find(falling); at != std::string::npos)
            text.erase(at, falling.size());
        return text;
    }
    return fmt::format("one {} {} of the loop in line {}",
                       rounds.of_distances ? "distance" : "round",
                       rounds.takes_more ? "more" : "less", one.place.line);
}

}  // namespace

void tell_swap_tried_once(int line, Cause& cause) {
    cause.sentence = fmt::format(
        "The `atomicCAS` in line {} is tried once: if another thread has changed the word since it "
        "was read, nothing is stored, and this thread's value is lost.",
        line);
    cause.advice =
        "Repeat it in a loop: as long as it returns another value than the expected one, compute "
        "the new value from what it has returned, and try again.";
}

bool is_number_of_loop(const Intervention& one) {
    return one.text.starts_with("the loop's ") || one.text.starts_with("the falling loop's ");
}

Cause cause_of(const Intervention& one, const Symptoms& e) {
    const SourceLocation location = location_of(one.place);
    Cause cause;
    switch (one.kind) {
        case ChangeKind::barrier: {
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
        case ChangeKind::warp_barrier:
            cause.id = "missing_warp_sync";
            cause.sentence = fmt::format(
                "Lanes of one warp pass data through memory around {} and count on running in "
                "lockstep, which they do not have to.",
                at(location));
            cause.advice = fmt::format("Put __syncwarp() {} {}.",
                                       one.value < 0 ? "before" : "after", at(location));
            cause.explains = {"missing_syncwarp"};
            break;
        case ChangeKind::fence:
            cause.id = "missing_fence";
            cause.sentence = fmt::format(
                "What {} stores is not yet seen by other blocks when they are told that it is "
                "there.",
                at(location));
            cause.advice =
                fmt::format("Put __threadfence() after {}, before the signal.", at(location));
            cause.explains = {"global_race"};
            break;
        case ChangeKind::atomic:
            cause.id = "missing_atomic";
            cause.sentence = fmt::format(
                "{} loads a value, changes it and stores it back while other threads do the same: "
                "one's result overwrites another's.",
                line_or(location, "The kernel"));
            cause.advice = fmt::format("Use {}: it does all three in one step.", one.text);
            if (one.text.find("atomicExch") != std::string::npos) {
                cause.sentence = fmt::format(
                    "{} reads a word that another value then replaces, in two steps: two threads "
                    "may read the same one, and both replace it.",
                    line_or(location, "The kernel"));
                cause.advice = fmt::format("Use {}: it does both in one step.", one.text);
            }
            cause.explains = {"shared_race",    "global_race", "missing_syncwarp",
                              "missing_atomic", "lost_update", "nondeterministic"};
            break;
        case ChangeKind::comparison: cause = cause_of_comparison(one, e); break;
        case ChangeKind::ignore_outside:
            cause.id = "missing_bounds_check";
            cause.sentence = fmt::format(
                "Some threads have no element at {}, and access memory outside of the array.",
                at(location));
            cause.advice = "Let only those threads access it whose index lies inside of the array.";
            cause.explains = {"out_of_bounds"};
            break;
        case ChangeKind::shared_array:
            cause.id = "array_too_small";
            cause.sentence = fmt::format(
                "A shared array of `{}` is too small: with {} nothing is accessed behind its end.",
                kernel_of(one), one.text);
            cause.advice = "Make it as large as the largest index that is used, plus one.";
            cause.explains = {"out_of_bounds", "shared_race", "uninitialised_read"};
            break;
        case ChangeKind::by_elements:
            cause.id = "misaligned";
            cause.sentence = fmt::format(
                "{} accesses several bytes at once at an address that is no multiple of their "
                "number.",
                line_or(location, "The kernel"));
            cause.advice =
                "Access single elements there, or let each row or part begin at such a multiple.";
            cause.explains = {"misaligned"};
            break;
        case ChangeKind::together:
            cause.id = "divergent_barrier";
            cause.sentence = fmt::format(
                "Some threads of a block go another way in {}, and do not come to the barrier.",
                at(location));
            cause.advice =
                "Let all threads of the block come to all barriers: put under the condition only "
                "what some must not do, instead of leaving.";
            cause.explains = {"barrier_divergence", "uninitialised_read"};
            break;
        case ChangeKind::meeting:
            cause.id = "divergent_barrier";
            cause.sentence = fmt::format(
                "Not all threads of the block come to the barrier in {}, which waits for them.",
                at(location));
            cause.advice =
                "Move the barrier out of the branch or the loop that not all threads run alike, so "
                "that every thread of the block comes to it.";
            cause.explains = {"barrier_divergence"};
            break;
        case ChangeKind::zero_shared:
            cause.id = "uninitialised_shared";
            cause.sentence =
                "Shared memory is used before anything is stored in it; it begins as garbage, not "
                "as zeros.";
            cause.advice =
                "Let the threads of the block set it first, with __syncthreads() behind that.";
            cause.explains = {"uninitialised_read"};
            break;
        case ChangeKind::zero_memory:
            cause.id = "uninitialised_variable";
            cause.sentence =
                "Memory of cudaMalloc is used before anything is stored in it; it begins as "
                "garbage, not as zeros.";
            cause.advice = "Set it first: cudaMemset, or a kernel.";
            cause.explains = {"uninitialised_read"};
            break;
        case ChangeKind::grid_larger:
            cause.id = "grid_too_small";
            cause.sentence = fmt::format(
                "`{}` is launched with too few blocks: elements at the end have no thread.",
                kernel_of(one));
            cause.advice = "Round the number of blocks up: (n + threads - 1) / threads.";
            break;
        case ChangeKind::launch_swapped:
            cause.id = "launch_swapped";
            cause.sentence = fmt::format(
                "`{}` is launched with the number of blocks and that of threads exchanged.",
                kernel_of(one));
            cause.advice = "Write the grid first: kernel<<<blocks, threads>>>.";
            break;
        case ChangeKind::launch_xy:
            cause.id = "launch_swapped";
            cause.sentence = fmt::format("`{}` is launched with {}.", kernel_of(one), one.text);
            cause.advice = "Columns go with x, rows with y: in grid, block and index alike.";
            break;
        case ChangeKind::dynamic_shared:
            cause.id = "size_in_elements";
            cause.sentence = fmt::format(
                "`{}` is launched with too little dynamic shared memory: the third number in "
                "<<<>>> counts bytes, not elements.",
                kernel_of(one));
            cause.advice = "Multiply the number of elements by sizeof of their type.";
            cause.explains = {"out_of_bounds"};
            break;
        case ChangeKind::block_rounded:
            cause.id = "not_a_power_of_two";
            cause.sentence = fmt::format(
                "A loop of `{}` halves the number of threads in a block, which is no power of two: "
                "what is left over at an odd step is lost.",
                kernel_of(one));
            cause.advice = "Launch a power of two, such as 128 or 256, or take the rest, too.";
            break;
        case ChangeKind::numbers_exchanged:
            cause.id = "transposed";
            cause.sentence =
                fmt::format("Two numbers that the launch of `{}` passes are in each other's place.",
                            kernel_of(one));
            cause.advice =
                "Pass them in the order of the parameters, or of the structure's members.";
            cause.explains = {"out_of_bounds", "uninitialised_read"};
            break;
        case ChangeKind::fill_numbers:
            cause.id = "wrong_identity";
            cause.sentence = fmt::format(
                "The `cudaMemset` in {} sets each byte, not each number: the numbers begin as "
                "something else.",
                at(location));
            cause.advice = "Copy the number there with cudaMemcpy, or set it in a kernel.";
            break;
        case ChangeKind::allocate_bytes:
        case ChangeKind::copy_bytes:
        case ChangeKind::fill_bytes:
            cause.id = "size_in_elements";
            cause.sentence = fmt::format(
                "The call in {} is given a number of elements where it takes a number of bytes.",
                at(location));
            cause.advice = "Multiply the number of elements by sizeof of their type.";
            cause.explains = {"out_of_bounds", "uninitialised_read"};
            break;
        case ChangeKind::streams_waited_for:
            cause.id = "stream_not_waited_for";
            cause.sentence =
                "Work in one stream is used by another stream, or by the host, before it is done.";
            cause.advice =
                "Wait for it: cudaStreamSynchronize, or an event between the two streams.";
            cause.explains = {"global_race", "uninitialised_read"};
            break;
        case ChangeKind::children_first:
        case ChangeKind::children_in_tail:
            cause.id = "child_not_in_tail";
            cause.sentence =
                "A kernel that a kernel launches runs at another time than the program counts on.";
            cause.advice =
                "Launch it into cudaStreamTailLaunch: it then runs after all blocks of the grid "
                "that launches it.";
            cause.explains = {"global_race", "uninitialised_read"};
            break;
        case ChangeKind::full_mask:
            cause.id = "wrong_shuffle_mask";
            cause.sentence = fmt::format(
                "The mask of the warp-level call in {} does not name the lanes that take part.",
                at(location));
            cause.advice = fmt::format("Use {} there.", one.text);
            cause.explains = {"mask_without_caller", "inactive_lane_read", "barrier_divergence"};
            break;
        case ChangeKind::unsigned_byte:
            cause.id = "signed_byte";
            cause.sentence =
                fmt::format("{} takes a byte as a number with a sign: from 128 on it is negative.",
                            line_or(location, "The kernel"));
            cause.advice = "Use unsigned char, or convert to it first.";
            cause.explains = {"out_of_bounds"};
            break;
        case ChangeKind::wide_arithmetic:
            cause.id = "integer_overflow";
            cause.sentence = fmt::format(
                "{} computes in 32 bits what does not fit, and widens the result afterwards.",
                line_or(location, "The kernel"));
            cause.advice = "Widen an operand first: (long long)a * b.";
            cause.explains = {"out_of_bounds"};
            break;
        case ChangeKind::wide_accumulator:
            cause.id = "accumulator_too_narrow";
            cause.sentence =
                one.value == 0
                    ? fmt::format(
                          "The sum in {} is kept in a float: it loses digits with every addition.",
                          at(location))
                    : fmt::format("The sum in {} is kept in 32 bits, which it outgrows.",
                                  at(location));
            cause.advice = one.value == 0 ? "Add up in a double, and convert once at the end."
                                          : "Add up in a long long.";
            break;
        case ChangeKind::untruncated:
            cause.id = "accumulator_too_narrow";
            cause.sentence = fmt::format(
                "{} puts a value into a type that is too narrow for it: what does not fit is lost.",
                line_or(location, "The kernel"));
            cause.advice = fmt::format("Keep {} there.", one.text);
            break;
        case ChangeKind::widened_sign:
            cause.id = "sign_lost";
            cause.sentence =
                fmt::format("{} widens a number {}: {}", line_or(location, "The kernel"),
                            one.value > 0 ? "without its sign" : "with a sign that it has not",
                            one.value > 0 ? "a negative one becomes a large positive one."
                                          : "a large one becomes a negative one.");
            cause.advice = one.value > 0 ? "Convert it to a signed type first: (long long)(int)x."
                                         : "Convert it to an unsigned type first.";
            break;
        case ChangeKind::other_sign: {
            const bool shifts = one.text.starts_with("a shift");
            const bool divides =
                one.text.starts_with("a division") || one.text.starts_with("a remainder");
            cause.id = divides && one.value > 0              ? "unsigned_index"
                       : !divides && one.value < 0 && shifts ? "signed_byte"
                                                             : "sign_lost";
            cause.sentence =
                fmt::format("{} takes {}: {}", line_or(location, "The kernel"),
                            one.value > 0 ? "numbers without their sign"
                                          : "numbers with a sign that they have not",
                            one.value > 0 ? "a negative one counts as a large positive one."
                                          : "a large one counts as a negative one.");
            cause.advice = one.value > 0 ? "Convert both operands to a signed type first."
                                         : "Convert both operands to an unsigned type first.";
            break;
        }
        case ChangeKind::stride:
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
            if (one.value > 10'000) {
                cause.sentence = fmt::format(
                    "Each round of the loop in {} takes {} elements of a thread, and steps on as "
                    "if it had "
                    "taken one: elements are taken again.",
                    at(location), one.value - 10'000);
                cause.advice = fmt::format("Make the step {} times as long.", one.value - 10'000);
            } else if (one.value < -1) {
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
        case ChangeKind::global_index:
            cause.id = "wrong_element";
            cause.sentence = fmt::format(
                "{} takes threadIdx.x alone as the index: every block works on the elements of the "
                "first one.",
                line_or(location, "The kernel"));
            cause.advice = "Use blockIdx.x * blockDim.x + threadIdx.x.";
            break;
        case ChangeKind::unclamped:
            cause.id = "saturated";
            cause.sentence =
                fmt::format("{} cuts a value off at a limit, which the task does not ask for.",
                            line_or(location, "The kernel"));
            cause.advice = "Leave the limit away: a conversion to the smaller type wraps around.";
            break;
        case ChangeKind::adding_store:
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
        case ChangeKind::reinterpret:
            cause.id = "converted_not_reinterpreted";
            cause.sentence =
                fmt::format("The conversion in {} rounds a number, where its bits are to be kept.",
                            at(location));
            cause.advice =
                "Use __float_as_int, __double_as_longlong and their reverses for the bits.";
            break;
        case ChangeKind::identity:
            cause.id = "wrong_identity";
            cause.sentence = fmt::format("What {} starts from is not neutral for the operation.",
                                         location.line > 0 ? at(location) : "the computation");
            cause.advice = fmt::format("Change {}.", one.text);
            break;
        case ChangeKind::release:
        case ChangeKind::acquire:
            cause.id = "missing_fence";
            cause.sentence = fmt::format(
                "{} hands data to other threads by an access that orders nothing: what was stored "
                "before it may be seen after it.",
                line_or(location, "The kernel"));
            cause.advice = one.kind == ChangeKind::release
                               ? fmt::format("Put __threadfence() before {}.", at(location))
                               : fmt::format("Put __threadfence() after {}.", at(location));
            cause.explains = {"global_race", "shared_race"};
            break;
        case ChangeKind::retry:
            cause.id = "no_retry";
            tell_swap_tried_once(location.line, cause);
            cause.explains = {"nondeterministic"};
            if (one.value == 1) {
                cause.sentence = fmt::format(
                    "The new value is computed once, in {}, from what was in the word then: when "
                    "the swap is tried again, another thread's change is overwritten.",
                    at(location));
                cause.advice =
                    "Compute it in the loop, from the value that the `atomicCAS` has returned.";
            }
            break;
        case ChangeKind::compare_bits:
            cause.id = "compare_as_value";
            cause.sentence = fmt::format(
                "The comparison in {} compares floating-point values, where the bits are meant: a "
                "NaN never equals itself, so the loop around the compare-and-swap does not end.",
                at(location));
            if (!e.has(Verdict::time_limit) && !e.has(Verdict::deadlock))
                cause.sentence = fmt::format(
                    "The comparison in {} compares floating-point values, where the bits are "
                    "meant: a NaN never equals itself, and 0 equals -0.",
                    at(location));
            cause.advice =
                "Compare the integers that atomicCAS takes and returns, not the floats made of "
                "them.";
            break;
        case ChangeKind::parameter:
            cause.id = "wrong_element";
            cause.sentence = fmt::format("{} uses {} where another one is needed.",
                                         line_or(location, "The kernel"),
                                         one.text.substr(0, one.text.find(" to ")));
            cause.advice = fmt::format("Change {} there.", one.text);
            break;
        case ChangeKind::shuffle_lane:
        case ChangeKind::element:
        case ChangeKind::constant:
            if (is_number_of_loop(one)) {
                cause = cause_of_loop(one);
                break;
            }
            cause.id = one.value == 2 || one.value == -2 ? "wrong_stride" : "wrong_element";
            cause.sentence = fmt::format("{} takes another element than is meant.",
                                         line_or(location, "The kernel"));
            cause.advice = one.kind == ChangeKind::element
                               ? fmt::format("It is right if {}.", one.text)
                               : fmt::format("Change {}.", one.text);
            break;
        case ChangeKind::odd_halving:
            cause.id = "not_a_power_of_two";
            cause.sentence = fmt::format(
                "{} halves a number that is odd: of what is added in pairs, one part is left over.",
                line_or(location, "A loop"));
            cause.advice =
                "Begin with the next power of two, with nothing in the places that are too many, "
                "or take the one that is left over, too.";
            break;
        case ChangeKind::counter_wrap:
            cause.id = "counter_too_narrow";
            cause.sentence = fmt::format(
                "A counter of {} bits counts further than it can in line {}: it begins again at 0, "
                "or carries into its neighbour.",
                one.value, location.line);
            cause.advice = one.value == 8
                               ? "Count in more bits, or empty the counters after at most 255."
                               : "Count in more bits, or empty the counters after at most 65535.";
            break;
        case ChangeKind::count: break;
    }
    cause.location = location;
    if (one.kind == ChangeKind::release && location.line > 1) {
        // The fence goes in front of it.
        cause.location.line = location.line - 1;
        cause.location.column = 0;
        cause.end_line = location.line;
    }
    if (one.kind == ChangeKind::barrier || one.kind == ChangeKind::warp_barrier ||
        one.kind == ChangeKind::fence ||
        (is_number_of_loop(one) && one.text.find("first") != std::string::npos))
        cause.location.column = 0;
    cause.evidence = is_number_of_loop(one) ? as_rounds(one) : as_told(one);
    return cause;
}

}  // namespace cugrade
