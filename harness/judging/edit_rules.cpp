// Theory of operation. Some mistakes show far from where they were made: a wide access is
// misaligned because of an offset that the host computes, a stream is not waited for between two
// statements of which neither is wrong. Each id has its rule here, which looks for the one shape of
// text that the mistake has. If it is not there, or is there several times, the cause stays where
// it was.
#include "judging/edit_rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "judging/barrier_rules.hpp"
#include "judging/count_rules.hpp"
#include "judging/edit_text.hpp"
#include "judging/host_rules.hpp"
#include "judging/lock_rules.hpp"
#include "judging/loop_rules.hpp"
#include "judging/output_rules.hpp"
#include "judging/pointer_rules.hpp"
#include "judging/scan_rules.hpp"
#include "judging/shared_rules.hpp"
#include "judging/table_rules.hpp"
#include "judging/type_rules.hpp"
#include "judging/value_rules.hpp"
#include "judging/warp_rules.hpp"
#include "judging/written_calls.hpp"

namespace cugrade {
namespace {

using namespace edit;

// ------------------------------------------------------------------------------------- sizes

/// The execution did not tell it.
void tell_line_of_call(int line, Cause& cause) {
    const std::string nowhere = "line 0";
    if (const std::size_t at = cause.sentence.find(nowhere); at != std::string::npos)
        cause.sentence.replace(at, nowhere.size(), fmt::format("line {}", line));
}

/// The only copy or filling whose size is no number of bytes, where the execution does not tell
/// which it is.
void where_copy_is_too_short(const Text& text, Cause& cause) {
    constexpr std::array<std::pair<std::string_view, std::size_t>, 6> sized{
        {{"cudaMemcpyToSymbol", 2},
         {"cudaMemcpyToSymbolAsync", 2},
         {"cudaMemcpyFromSymbol", 2},
         {"cudaMemcpy", 2},
         {"cudaMemcpyAsync", 2},
         {"cudaMemset", 2}}};
    int found = 0;
    for (const auto& [api, size] : sized)
        for (const WrittenCall& call : calls_of(api, text.source)) {
            if (call.location.file != text.code.file() || call.arguments.size() <= size ||
                !text.reaches(text.code.around(call.location.line)) ||
                call.arguments[size].find("sizeof") != std::string::npos)
                continue;
            if (found > 0) return;
            found = call.location.line;
        }
    if (found == 0) return;
    tell_line_of_call(found, cause);
    cause.second.reset();
    cause.location = {text.code.file(), found, 0};
}

/// The only allocation whose size is no number of bytes.
void where_bytes_are_forgotten(const Text& text, Cause& cause) {
    const auto names = names_in(cause.location.file, cause.location.line, text.source);
    if (cause.location.line > 0 &&
        std::ranges::any_of(names, [](const std::string& one) { return one.starts_with("cuda"); }))
        return;
    const Function* f = text.code.around(cause.location.line);
    const bool is_launch = std::ranges::any_of(text.code.launches(), [&](const auto& launch) {
        return text.line(launch.at) == cause.location.line;
    });
    if (f == nullptr || is_launch) return;
    std::optional<SourceLocation> found;
    for (const std::string_view api : {"cudaMalloc", "cudaMallocAsync"})
        for (const WrittenCall& call : calls_of(api, text.source)) {
            if (call.location.file != text.code.file() || call.arguments.size() < 2 ||
                !text.reaches(text.code.around(call.location.line)))
                continue;
            const std::string& size = call.arguments[1];
            const auto made = definition_of(variable_of(size), call.location.file,
                                            call.location.line, text.source);
            const auto says_bytes = [&](std::string_view word) {
                if (size.find(word) != std::string::npos) return true;
                if (!made) return false;
                const auto origin = names_in(made->file, made->line, text.source);
                return std::ranges::find(origin, word) != origin.end();
            };
            if (says_bytes("sizeof")) continue;
            if (found) return;
            found = call.location;
        }
    if (!found) return;
    tell_line_of_call(found->line, cause);
    put_at(text, found->line, cause);
}

// ---------------------------------------------------------------------------------- more lines

/// A fence may stand behind the branch, as well.
void behind_the_branch(const Text& text, Cause& cause) {
    const int end = text.lines.line_behind_branches(cause.location.line);
    if (cause.proof == Proof::proven && end > cause.location.line && cause.end_line < end)
        cause.end_line = end;
}

/// The number of rounds of a loop may be the thread's own because of how it is computed.
void from_loop_to_its_limit(const Text& text, Cause& cause) {
    const Range loop = text.code.tokens_of_line(cause.location.line);
    if (loop.first >= loop.last || !is_any(text.word(loop.first), {"for", "while"})) return;
    for (std::size_t i = loop.first; i < loop.last; ++i) {
        if (!is_name(text.token(i))) continue;
        const int made = definition_in(text, text.word(i), cause.location.line);
        if (made > 0 && made < cause.location.line && made + 4 >= cause.location.line &&
            names_of(text, text.code.tokens_of_line(made)).contains("threadIdx"))
            return put_between(text, made, cause.location.line, cause);
    }
}

/// A barrier in a function that is called where some threads have left: they left in the caller.
void where_threads_left(const Text& text, Cause& cause) {
    if (!cause.second || cause.second->file != cause.location.file ||
        text.code.around(cause.second->line) == text.code.around(cause.location.line))
        return;
    const Range here = text.code.tokens_of_line(cause.location.line);
    for (std::size_t i = here.first; i < here.last; ++i) {
        const std::string_view word = text.word(i);
        if (word != "__syncthreads" && word != "sync" && !word.ends_with("_sync")) continue;
        std::swap(cause.location, *cause.second);
        cause.location.column = 0;
        cause.advice = fmt::format(
            "Let the threads of line {} come to all barriers behind it: put under the condition "
            "only what they must not do, instead of leaving.",
            cause.location.line);
        return from_loop_to_its_limit(text, cause);
    }
}

/// Some threads go another way at an `if`: the barrier below it is moved, or the `if` is changed.
void up_to_the_barrier_below(const Text& text, Cause& cause) {
    constexpr int nearby = 6;
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr || cause.end_line > 0) return;
    for (const Condition& one : conditions_in(text, *f)) {
        if (text.line(one.at) != cause.location.line) continue;
        for (std::size_t i = one.body.first; i < one.body.last; ++i)
            if (text.word(i) == "__syncthreads" && text.line(i) - cause.location.line <= nearby) {
                cause.end_line = text.line(i);
                cause.advice =
                    "Move the barrier out of the branch, so that every thread of the block comes "
                    "to it.";
                return;
            }
    }
}

/// While others wait at a barrier, a lane waits at a warp's call for lanes that do not come there:
/// its mask names them.
bool is_held_at_a_warps_call(const Text& text, Cause& cause) {
    for (const std::string_view call : {"match", "shfl", "vote", "redux"}) {
        const std::string before = fmt::format(" at `{}` in line ", call);
        const std::size_t at = cause.instance.find(before);
        if (at == std::string::npos) continue;
        int line = 0;
        const char* number = cause.instance.data() + at + before.size();
        std::from_chars(number, cause.instance.data() + cause.instance.size(), line);
        const Range here = text.code.tokens_of_line(line);
        const bool is_call =
            std::any_of(text.code.tokens().begin() + static_cast<std::ptrdiff_t>(here.first),
                        text.code.tokens().begin() + static_cast<std::ptrdiff_t>(here.last),
                        [](const Token& one) { return one.text.ends_with("_sync"); });
        if (!is_call) continue;
        cause.id = "wrong_shuffle_mask";
        cause.sentence = fmt::format(
            "The mask of the warp-level call in line {} names lanes that do not come to it: those "
            "that do wait for them.",
            line);
        cause.advice = "Name in the mask all lanes that make the call, and only those.";
        put_at(text, line, cause);
        return true;
    }
    return false;
}

void where_threads_leave(const Text& text, Cause& cause) {
    if (is_held_at_a_warps_call(text, cause)) return;
    which_barrier_is_held_back(text, cause);
    up_to_the_barrier_below(text, cause);
    where_threads_left(text, cause);
    int loop = loop_left_by_threads(text, cause.location.line);
    // Who has left waits at the next barrier.
    if (loop == 0 && cause.second && cause.second->file == cause.location.file)
        loop = loop_left_by_threads(text, cause.second->line);
    if (loop == 0) return;
    const int barrier = std::max(cause.location.line, cause.second ? cause.second->line : 0);
    const int first = cause.second ? std::min(cause.location.line, cause.second->line) : barrier;
    tell_loop_left_by_threads(loop, cause);
    // Up to the barrier in it.
    constexpr int nearby = 12;
    const int inside = first > loop ? first : barrier;
    if (inside > loop && inside - loop <= nearby) cause.end_line = inside;
}

/// `quads = n / 4;` where nothing says what becomes of the rest: the only such line.
void where_groups_are_counted(const Text& text, Cause& cause) {
    std::size_t found = 0;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 1; i + 3 < f->close; ++i) {
            const bool is_group = is_any(text.word(i + 2), {"2", "4", "8", "16"}) &&
                                  is_any(text.word(i + 3), {";", ",", ")"});
            if (!is_name(text.token(i)) || text.word(i + 1) != "/" || !is_group ||
                !is_any(text.word(i - 1), {"=", ",", "("}))
                continue;
            if (found > 0 && text.line(found) != text.line(i)) return;
            found = i;
        }
    if (found == 0) return;
    for (std::size_t i = 1; i + 1 < text.code.tokens().size(); ++i)
        if (text.word(i) == "%" ||
            (text.word(i) == "*" && text.word(i - 1) == text.word(found + 2)))
            return;
    put_between(text, text.line(found), text.lines.line_after(text.line(found)), cause);
}

/// `if (thread == 0 && n % 4 != 0)`: the rest is dealt with there, and not all of it.
bool takes_part_of_rest(const Text& text, Cause& cause) {
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr || cause.proof == Proof::proven || text.reached.empty()) return false;
    const auto divides = [&](Range range) {
        for (std::size_t i = range.first; i + 1 < range.last; ++i)
            if (text.word(i) == "%" && is_any(text.word(i + 1), {"2", "4", "8", "16"})) return true;
        return false;
    };
    const auto asks_for_rest = [&](const Condition& one) {
        const Range head{one.at, one.body.first};
        if (divides(head)) return true;
        const auto names = names_of(text, head);
        return std::ranges::any_of(names, [&](std::string_view name) {
            const int made = definition_in(text, name, text.line(one.at));
            return made > 0 && divides(text.code.tokens_of_line(made));
        });
    };
    // Of the kernel, behind what takes the whole ones, or of the host.
    for (const Function* in : {f, text.reached.front()})
        for (const Condition& one : conditions_in(text, *in)) {
            if (!asks_for_rest(one) || (in == f && text.line(one.at) < cause.location.line))
                continue;
            cause.advice = fmt::format(
                "Line {} takes care of the rest: let as many threads come by, or rounds be made, "
                "as there are elements left, and let each take another one of those.",
                text.line(one.at));
            put_between(text, text.line(one.at), text.line(one.body.last - 1), cause);
            return true;
        }
    return false;
}

/// What is left over is dealt with behind the loop, or its limit is rounded up.
void up_to_behind_the_loop(const Text& text, Cause& cause) {
    if (takes_part_of_rest(text, cause)) return;
    if (is_rest_left(text, cause)) return (void)takes_part_of_rest(text, cause);
    if (is_limit_rounded_down(text, cause)) return;
    if (cause.location.line == 0) {
        where_groups_are_counted(text, cause);
        if (cause.location.line == 0) where_groups_are_walked(text, cause);
        return;
    }
    const Function* f = text.code.around(cause.location.line);
    if (f == nullptr || cause.end_line > 0) return;
    for (const Loop& loop : loops_in(text, *f)) {
        const int end = text.line(loop.all.last - 1);
        if (end != cause.location.line && text.line(loop.at) != cause.location.line) continue;
        // A short one is seen as a whole.
        constexpr int short_one = 5;
        if (end == cause.location.line) {
            cause.end_line = text.lines.line_after(end);
            if (end - text.line(loop.at) <= short_one) cause.location.line = text.line(loop.at);
        }
        return;
    }
}

void where_size_is_made(const Text& text, Cause& cause) {
    if (is_part_of_lock_cleared(text, cause)) return;
    if (cause.sentence.find("line 0 ") != std::string::npos &&
        cause.evidence.find("in the copy") != std::string::npos)
        return where_copy_is_too_short(text, cause);
    where_bytes_are_forgotten(text, cause);
    where_shared_size_is_made(text, cause);
}

void where_lanes_meet(const Text& text, Cause& cause) {
    if (!is_row_too_short(text, cause)) behind_the_loop(text, cause);
}

/// A variable without a first value that each branch of an `if` sets, but for the one in which none
/// of the conditions holds. The line of its declaration; 0: there is none.
int left_unset_at(const Text& text, int line) {
    const Function* f = text.code.around(line);
    if (f == nullptr) return 0;
    const auto conditions = conditions_in(text, *f);
    for (const Condition& last : conditions) {
        if (text.line(last.at) != line || last.other.first < last.other.last) continue;
        for (std::size_t i = f->open + 1; i + 1 < last.at; ++i) {
            const bool is_declared = text.word(i + 1) == ";" && is_name(text.token(i)) &&
                                     is_any(text.word(i - 1), {"float", "double", "int", "unsigned",
                                                               "char", "long", "auto"});
            if (!is_declared) continue;
            bool sets = false, sets_elsewhere = false, reads = false;
            for (std::size_t k = i + 2; k + 1 < f->close; ++k) {
                if (text.word(k) != text.word(i)) continue;
                const bool is_set = text.word(k + 1) == "=";
                sets |= is_set && is_in(last.body, k);
                reads |= !is_set && k >= last.body.last;
                sets_elsewhere |=
                    is_set && std::ranges::none_of(conditions, [&](const Condition& one) {
                        return is_in(one.body, k);
                    });
            }
            if (sets && reads && !sets_elsewhere) return text.line(i);
        }
    }
    return 0;
}

/// `abs(k)`, or `k < 0 ? -k : k`: the first element outside becomes the second one inside.
void where_it_is_mirrored(const Text& text, Cause& cause) {
    if (const int unset = left_unset_at(text, cause.location.line)) {
        cause.sentence = fmt::format(
            "What line {} declares has no value where none of the conditions holds, the last of "
            "which is in line {}.",
            unset, cause.location.line);
        cause.id = "uninitialised_variable";
        cause.advice = "Give it a first value, such as 0.";
        return put_at(text, unset, cause);
    }
    int found = 0;
    for (const Function* f : text.reached)
        for (std::size_t i = f->open + 1; i + 2 < f->close; ++i) {
            const bool is_call =
                text.word(i) == "abs" && text.word(i + 1) == "(" && text.word(i + 3) == ")";
            const bool is_chosen =
                is_any(text.word(i - 1), {"?", ":", "return"}) ||
                (text.word(i - 1) == "=" && text.word(i - 2) == text.word(i + 1));
            const bool is_negated = text.word(i) == "-" && is_name(text.token(i + 1)) &&
                                    is_chosen && is_any(text.word(i + 2), {":", ";", ")"});
            if ((!is_call && !is_negated) || text.line(i) == found) continue;
            if (found > 0) return;
            found = text.line(i);
        }
    if (found > 0) return put_at(text, found, cause);
    if (cause.location.line == 0) where_place_has_no_sign(text, cause);
}

/// The compiler may compute a remainder above the line that has it.
void where_it_divides(const Text& text, Cause& cause) {
    const std::string_view sign = cause.evidence.find("a remainder") != std::string::npos  ? "%"
                                  : cause.evidence.find("a division") != std::string::npos ? "/"
                                                                                           : "";
    const Function* f = text.code.around(cause.location.line);
    if (sign.empty() || f == nullptr) return;
    std::set<int> lines;
    for (std::size_t i = f->open; i < f->close; ++i)
        if (text.word(i) == sign || text.word(i) == std::string(sign) + "=")
            lines.insert(text.line(i));
    if (lines.size() != 1) return;
    for (std::string* told : {&cause.sentence, &cause.evidence})
        rename_line(*told, cause.location.line, *lines.begin());
    cause.location = {text.code.file(), *lines.begin(), 0};
}

void where_odd_number_is_made(const Text& text, Cause& cause) {
    where_launch_is_sized(text, cause);
    where_halved_number_is_made(text, cause);
}

/// `blockIdx.x == gridDim.x`: no block does that.
bool is_past_the_last_block(const Text& text, Cause& cause) {
    const Range here = text.code.tokens_of_line(cause.location.line);
    for (std::size_t i = here.first; i + 6 < here.last; ++i)
        for (const std::string_view axis : {"x", "y", "z"}) {
            const std::string one = fmt::format("blockIdx.{0}==gridDim.{0}", axis),
                              other = fmt::format("gridDim.{0}==blockIdx.{0}", axis);
            if (const std::string written = words(text, {i, i + 7});
                (written != one && written != other) || is_any(text.word(i + 7), {"-", "+"}))
                continue;
            cause.id = "tail_ignored";
            cause.sentence = fmt::format(
                "Line {} asks for the block with the number gridDim.{}, and there is none: the "
                "last one is gridDim.{} - 1.",
                cause.location.line, axis, axis);
            cause.advice = fmt::format("Compare with gridDim.{} - 1.", axis);
            return true;
        }
    return false;
}

void where_wrong_index_is_made(const Text& text, Cause& cause) {
    if (is_past_the_last_block(text, cause) || is_emptied_too_late(text, cause)) return;
    where_level_is_missing(text, cause);
    where_groups_are_an_index(text, cause);
}

struct EditRule {
    std::string_view id;
    void (*apply)(const Text&, Cause&);
};
constexpr auto edit_rules = std::to_array<EditRule>({
    {"accumulator_too_narrow", where_sum_is_declared},
    {"array_too_small", where_shared_size_is_made},
    {"blocks_not_combined", where_swap_is_tried_once},
    {"child_not_in_tail", where_children_are_read},
    {"counter_too_narrow", where_counter_is_declared},
    {"divergent_barrier", where_threads_leave},
    {"elements_ignored", where_tree_ends},
    {"ghost_policy", where_it_is_mirrored},
    {"grid_too_small", where_grid_is_made},
    {"halo_missing", behind_the_last_store},
    {"host_pointer_in_kernel", where_kernel_takes_address},
    {"in_place", from_read_to_store},
    {"inclusive_exclusive", where_scan_is_shifted},
    {"integer_overflow", where_operand_is_made},
    {"launch_refused", where_launch_is_sized},
    {"launch_swapped", where_shape_is_made},
    {"input_changed", where_input_is_writable},
    {"lock_not_held", where_lock_is_not_held},
    {"lock_not_released", where_others_give_it_back},
    {"lock_order", where_order_is_chosen},
    {"lock_per_lane", where_all_lanes_are_asked},
    {"lock_taken_twice", where_number_of_locks_is_made},
    {"misaligned", where_pointer_is_made},
    {"missing_atomic", which_atomic_there_is},
    {"missing_barrier", where_barrier_can_stand},
    {"missing_bounds_check", where_it_counts_down},
    {"missing_fence", behind_the_branch},
    {"missing_warp_sync", where_lanes_meet},
    {"no_retry", where_swap_is_tried_again},
    {"not_a_power_of_two", where_odd_number_is_made},
    {"saturated", where_it_saturates},
    {"size_in_elements", where_size_is_made},
    {"state_kept_between_calls", where_count_begins_again},
    {"stream_not_waited_for", between_streams},
    {"sign_lost", where_sign_is_lost},
    {"signed_byte", where_byte_is_signed},
    {"tail_ignored", up_to_behind_the_loop},
    {"transposed", where_numbers_are_exchanged},
    {"tree_level_missing", where_tree_ends},
    {"uninitialised_output", where_output_is_set},
    {"uninitialised_shared", from_condition_to_store},
    {"uninitialised_variable", where_lock_is_set},
    {"unsigned_index", where_it_divides},
    {"use_after_free", where_it_is_freed_too_early},
    {"wrong_element", where_wrong_index_is_made},
    {"wrong_identity", where_first_value_is_made},
    {"wrong_shuffle_mask", where_mask_is_named},
    {"wrong_stride", where_step_is_made},
});

/// The definition of a name, and of what it is computed from, that has the thread's number in it,
/// or a loop that begins at a product; 0: that is where it should be, or is not found.
int made_from_thread(const Text& text, std::string_view name, int line, int depth = 0) {
    constexpr int deepest = 3;
    const int made = definition_in(text, name, line);
    if (made == 0 || made >= line || depth > deepest) return 0;
    std::string written;
    for (const Token& one : text.code.tokens())
        if (one.line == made) written += one.text;
    const auto has = [&](std::string_view part) { return written.find(part) != std::string::npos; };
    if (has("blockIdx.x*blockDim.x+threadIdx.x") || has("threadIdx.x+blockIdx.x*blockDim.x"))
        return 0;
    if (written.starts_with("for(")) {
        const std::size_t product = written.find('*');
        return product < written.find(';') ? made : 0;
    }
    if (has("threadIdx")) return made;
    for (const std::string& other : names_in(text.code.file(), made, text.source))
        if (other != name)
            if (const int found = made_from_thread(text, other, made, depth + 1)) return found;
    return 0;
}

}  // namespace

SourceLocation index_of_access(const SourceLocation& access, std::span<const SourceFile> source) {
    const std::string_view written = text_of(access.file, source);
    if (written.empty()) return access;
    const SourceFile file{access.file, std::string(written)};
    const SourceCode code(file);
    const SourceText lines(file.text);
    const TaskSpec none;
    const Text text{none, code, lines, source, {}};
    for (std::size_t i = 0; i + 2 < code.tokens().size(); ++i)
        if (text.line(i) == access.line && text.word(i) == "[" && text.word(i + 2) == "]" &&
            is_name(text.token(i + 1)))
            if (const int made = made_from_thread(text, text.word(i + 1), access.line))
                return {access.file, made, 0};
    return access;
}

std::optional<Cause> exchanged_in_table(const TaskSpec& task, std::span<const SourceFile> source) {
    const bool is_plane = std::ranges::any_of(
        task.arguments, [](const ArgumentSpec& one) { return one.shape.size() == 2; });
    for (const SourceFile& file : source) {
        if (!is_plane || file.text.empty()) continue;
        const SourceCode code(file);
        const SourceText lines(file.text);
        const Text text{task, code, lines, source, code.reached_from(task.function)};
        const int in_table = where_table_is_turned(text);
        const int line = in_table > 0 ? in_table : where_call_is_turned(text);
        if (line == 0) continue;
        Cause cause{.id = "transposed"};
        cause.location = {file.name, line, 0};
        cause.sentence =
            in_table > 0 ? fmt::format(
                               "Line {} takes a shared array's elements by column and row, and the "
                               "other lines take them by row and column.",
                               line)
                         : fmt::format(
                               "Line {} gives column and row to a function that takes row and "
                               "column.",
                               line);
        cause.advice =
            fmt::format("Exchange the two {} there.", in_table > 0 ? "indices" : "arguments");
        return cause;
    }
    return {};
}

std::optional<Cause> divided_first(const TaskSpec& task, std::span<const SourceFile> source) {
    for (const SourceFile& file : source) {
        if (file.text.empty()) continue;
        const SourceCode code(file);
        const SourceText lines(file.text);
        const Text text{task, code, lines, source, code.reached_from(task.function)};
        if (auto cause = divided_to_nothing(text)) return cause;
    }
    return {};
}

std::optional<Cause> wrong_from_a_size_on(const TaskSpec& task,
                                          std::span<const SourceFile> source) {
    for (const SourceFile& file : source) {
        if (file.text.empty()) continue;
        const SourceCode code(file);
        const SourceText lines(file.text);
        const Text text{task, code, lines, source, code.reached_from(task.function)};
        if (auto cause = taken_by_one_block(text)) return cause;
        if (auto cause = product_of_narrow_parameters(text)) return cause;
    }
    return {};
}

void move_by_text(const TaskSpec& task, std::span<const SourceFile> source, Cause& cause) {
    const auto rule = std::ranges::find(edit_rules, cause.id, &EditRule::id);
    for (const SourceFile& file : source) {
        const bool has_place = cause.location.line > 0;
        if (file.text.empty() || (has_place && file.name != cause.location.file)) continue;
        const SourceCode code(file);
        const SourceText lines(file.text);
        const Text text{task, code, lines, source, code.reached_from(task.function)};
        if (rule != edit_rules.end()) rule->apply(text, cause);
        if (has_place) up_to_the_next_use(text, cause);
        if (has_place || cause.location.line > 0) return;
    }
}

}  // namespace cugrade
