// Theory of operation. Symptoms (findings, verdicts, places) rank what can be changed in the
// execution; each change is tried on the failing cases (experiment.hpp), the most probable first,
// and the first that mends the task is its proven cause. If none does, the best of what findings
// and messages suggest is told as likely, and if there is nothing of that, no cause.
//
// Where a mistake shows is not always where it is edited: place_to_edit.hpp moves a cause there.
#include "judging/causes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "judging/cause_places.hpp"
#include "judging/checks.hpp"
#include "judging/edit_rules.hpp"
#include "judging/finding_sentences.hpp"
#include "judging/hypotheses.hpp"
#include "judging/launch_guards.hpp"
#include "judging/lock_causes.hpp"
#include "judging/missing_function.hpp"
#include "judging/place_to_edit.hpp"
#include "judging/proven_causes.hpp"
#include "judging/slips.hpp"
#include "judging/source_code.hpp"
#include "judging/source_places.hpp"
#include "judging/written_calls.hpp"

namespace cugrade {
namespace {

/// One concrete instance: what a checker saw in a public case, or else how its result differs.
void illustrate(const Symptoms& symptoms, Cause& cause) {
    for (const CaseOutcome* one : symptoms.failing) {
        if (one->visibility == Visibility::hidden) continue;
        for (const CheckerFinding& finding : symptoms.findings_of(*one)) {
            if (finding.warning || std::ranges::count(cause.explains, finding.kind) == 0) continue;
            cause.instance = fmt::format("Case {}: {}", one->id, fact_of(finding.message));
            return;
        }
    }
    for (const CaseOutcome* one : symptoms.failing) {
        if (one->visibility == Visibility::hidden || one->message.empty() ||
            fact_of(one->message) == cause.sentence)
            continue;
        cause.instance =
            fmt::format("Case {} ({}): {}", one->id, one->description, fact_of(one->message));
        return;
    }
}

/// Whether a case has nothing in some input: then there may be nothing to launch.
bool is_for_nothing(const TaskSpec& task, const CaseSpec& spec) {
    return std::ranges::any_of(task.arguments, [&](const ArgumentSpec& argument) {
        return argument.role == Role::input && !argument.shape.empty() &&
               elements_of(argument, spec) == 0;
    });
}

/// Whether all failing cases have an empty input: a grid of no blocks is then no rounding mistake.
bool fails_for_nothing_alone(const TaskSpec& task, const Symptoms& symptoms) {
    return std::ranges::all_of(symptoms.failing, [&](const CaseOutcome* one) {
        const auto spec = std::ranges::find(task.cases, one->id, &CaseSpec::id);
        return spec != task.cases.end() && is_for_nothing(task, *spec);
    });
}

/// The scalar arguments of those failing cases in which there is something to do.
std::vector<KnownValues> known_values(const TaskSpec& task, const Symptoms& symptoms) {
    std::vector<KnownValues> all;
    for (const CaseOutcome* one : symptoms.failing) {
        const auto spec = std::ranges::find(task.cases, one->id, &CaseSpec::id);
        if (!one->work || spec == task.cases.end() || is_for_nothing(task, *spec)) continue;
        KnownValues& known = all.emplace_back();
        for (const ArgumentSpec& argument : task.arguments)
            if (argument.role == Role::scalar && !is_float(argument.dtype))
                if (const auto value = spec->params.find(argument.name);
                    value != spec->params.end())
                    known.emplace(argument.name, static_cast<long long>(value->second));
    }
    return all;
}

/// A function that launches nothing has not been written yet; or a condition keeps its launches
/// from running.
std::optional<Cause> nothing_launched(const TaskSpec& task, std::span<const SourceFile> source,
                                      const Symptoms& symptoms) {
    // Where there is nothing to do, it may still have to set its output.
    if (fails_for_nothing_alone(task, symptoms)) return {};
    Cause cause{.id = "nothing_launched"};
    bool is_unwritten = true;
    for (const CaseOutcome* one : symptoms.failing) {
        is_unwritten &= one->verdict == Verdict::unwritten_output;
        // The largest case has not been run here.
        if (!one->work && one->verdict == Verdict::wrong_answer) continue;
        const bool ends =
            one->verdict == Verdict::unwritten_output || one->verdict == Verdict::wrong_answer;
        if (!ends || !one->work || one->work->launches > 0 || !one->host.failed_call.empty())
            return {};
        cause.cases.push_back(one->id);
    }
    const auto calls = known_values(task, symptoms);
    cause.location = definition_of(task.function, source);
    const std::string_view text = text_of(cause.location.file, source);
    if (text.empty()) return {};
    cause.proof = Proof::proven;
    cause.evidence =
        fmt::format("no kernel ran in any of the {} failing cases", cause.cases.size());
    cause.explains = {std::string(name(Verdict::unwritten_output))};
    if (is_unwritten && SourceText(text).launches_nothing(kernel_name(task.function))) {
        cause.sentence =
            fmt::format("`{}` launches no kernel, and its output stays unwritten.", task.function);
        cause.advice = "Write a kernel, and launch it there: kernel<<<blocks, threads>>>(...).";
        return cause;
    }
    if (calls.empty()) return {};
    const SourceFile file{cause.location.file, std::string(text)};
    std::vector<std::string> parameters;
    for (const ArgumentSpec& argument : task.arguments) parameters.push_back(argument.name);
    const auto guard =
        guard_of_launches(SourceCode(file), kernel_name(task.function), parameters, calls);
    if (!guard || guard->location.line == 0) return {};
    cause.location = guard->location;
    if (!guard->is_certain) cause.proof = Proof::likely;
    cause.sentence = fmt::format("`{}` launches no kernel: the condition `{}` in line {} {}.",
                                 task.function, guard->condition, guard->location.line,
                                 guard->returns ? "makes it return" : "does not let it");
    cause.advice =
        "Write down what the condition's values are when the function is called, and let the "
        "launch be reached whenever there is something to do.";
    cause.explains.emplace_back(name(Verdict::wrong_answer));
    return cause;
}

/// What needs no experiment. A refused launch does: its numbers may be swapped.
bool is_told_by_a_call(const Cause& cause) {
    return cause.proof == Proof::proven && cause.id != "launch_refused";
}

/// What a refused launch asked for: "a block of (2048, 1, 1)"; empty: no launch was refused.
std::string asked_for(const CaseOutcome& one, std::string_view what) {
    const std::string& said = one.host.failed_call;
    const std::size_t begin = said.find(what);
    if (begin == std::string::npos || said.find("kernel launch: ") == std::string::npos) return {};
    return said.substr(begin, said.find(')', begin) - begin);
}

/// A block that is too large whatever the data are was not swapped with the grid.
bool asks_for_one_block_size(const Symptoms& symptoms) {
    const std::string first = asked_for(*symptoms.failing.front(), "a block of (");
    return !first.empty() && symptoms.failing.size() > 1 &&
           std::ranges::all_of(symptoms.failing, [&](const CaseOutcome* one) {
               return asked_for(*one, "a block of (") == first;
           });
}

/// A grid of no blocks, although there is something to do.
void tell_empty_grid(const TaskSpec& task, const Symptoms& symptoms, Cause& cause) {
    if (cause.id != "launch_refused" || fails_for_nothing_alone(task, symptoms) ||
        std::ranges::none_of(symptoms.failing, [](const CaseOutcome* one) {
            return !asked_for(*one, "a grid of (0").empty();
        }))
        return;
    cause.id = "grid_too_small";
    cause.advice = "Round the number of blocks up: (n + threads - 1) / threads.";
}

/// A plain store of zero in global memory that races with an atomic function in another line.
std::optional<SourceLocation> cleared_beside(const Symptoms& symptoms,
                                             std::span<const SourceFile> source) {
    const auto has = [&](const SourceLocation& at, bool (*test)(std::span<const Token>)) {
        const std::string_view text = text_of(at.file, source);
        std::vector<Token> tokens = tokens_of(text);
        std::erase_if(tokens, [&](const Token& one) { return one.line != at.line; });
        return test(tokens);
    };
    const auto clears = [](std::span<const Token> line) {
        for (std::size_t i = 1; i + 2 < line.size(); ++i)
            if (line[i].text == "=" && line[i - 1].text == "]" && line[i + 1].text == "0" &&
                line[i + 2].text == ";")
                return true;
        return false;
    };
    const auto adds = [](std::span<const Token> line) {
        return std::ranges::any_of(line,
                                   [](const Token& one) { return one.text.starts_with("atomic"); });
    };
    for (const CaseOutcome* one : symptoms.failing)
        for (const CheckerFinding& finding : symptoms.findings_of(*one)) {
            if (finding.kind != "global_race" || !finding.location || !finding.second_location)
                continue;
            if (has(*finding.location, clears) && has(*finding.second_location, adds))
                return finding.location;
            if (has(*finding.second_location, clears) && has(*finding.location, adds))
                return finding.second_location;
        }
    return {};
}

/// Whether a line stores under a condition that one thread alone meets, such as `t == 255`.
bool is_of_one_thread(const SourceLocation& at, std::span<const SourceFile> source) {
    const std::string_view text = text_of(at.file, source);
    const std::vector<Token> tokens = tokens_of(text);
    for (std::size_t i = 0; i + 5 < tokens.size(); ++i) {
        if (tokens[i].text != "if" || tokens[i].line > at.line || at.line > tokens[i].line + 1)
            continue;
        for (std::size_t k = i + 2; k + 1 < tokens.size() && tokens[k].text != ")"; ++k)
            if (tokens[k].text == "==" && tokens[k].line <= at.line) return true;
    }
    return false;
}

/// In shared memory one thread stores what others still read: they have to wait for each other.
bool lacks_barrier(const Symptoms& symptoms, std::span<const SourceFile> source, Cause& cause) {
    const auto is_of = [&](std::string_view kind) {
        return std::ranges::count(cause.explains, kind) > 0;
    };
    if (!cause.second ||
        (!is_of("shared_race") && !is_of("lost_update") && !is_of("missing_atomic")))
        return false;
    const bool in_shared = std::ranges::any_of(symptoms.failing, [&](const CaseOutcome* one) {
        return std::ranges::any_of(symptoms.findings_of(*one), [](const CheckerFinding& finding) {
            return finding.kind == "shared_race" ||
                   finding.message.find("in shared memory") != std::string::npos;
        });
    });
    SourceLocation store = cause.location, load = *cause.second;
    if (!is_of_one_thread(store, source)) std::swap(store, load);
    if (!in_shared || store.line == load.line || !is_of_one_thread(store, source)) return false;
    cause.id = "missing_barrier";
    cause.location = {store.file, std::min(store.line, load.line), 0};
    cause.end_line = std::max(store.line, load.line);
    cause.second = load;
    cause.sentence = fmt::format(
        "One thread stores in line {} what others read in line {}, and no barrier makes it wait "
        "for them.",
        store.line, load.line);
    cause.advice =
        "Put __syncthreads() between the two lines, where all threads of the block come by.";
    return true;
}

/// A race of threads that take locks is one of data that the lock does not protect; and where no
/// atomic is in sight, an element is overwritten while others still read it.
void tell_race(const CodeOfTask& code, std::span<const SourceFile> source, const Symptoms& symptoms,
               Cause& cause) {
    if (cause.id != "missing_atomic" || cause.proof == Proof::proven) return;
    if (lacks_barrier(symptoms, source, cause)) return;
    if (const auto cleared = cleared_beside(symptoms, source)) {
        cause.id = "uninitialised_output";
        cause.location = *cleared;
        cause.second.reset();
        cause.sentence = fmt::format(
            "Every block sets the output in line {}, while others have added to it already.",
            cleared->line);
        cause.advice =
            "Set it before the kernel begins: cudaMemset in front of the launch, or a kernel of "
            "its own.";
        return;
    }
    const bool by_one = std::ranges::count(cause.explains, "missing_atomic") > 0;
    if (code.calls_any({"atomicCAS", "atomicExch"}) && !by_one) {
        cause.id = "lock_not_held";
        cause.advice =
            "Let all who touch it take the same lock before they read it, and give it back after "
            "the last store.";
        return;
    }
    const auto reads_and_writes = [&](const CheckerFinding& finding) {
        const std::string& text = finding.message;
        return finding.kind == "global_race" && finding.location == cause.location &&
               text.find("changed") == std::string::npos &&
               (text.find(" reads ") == std::string::npos) !=
                   (text.find("which is read") == std::string::npos);
    };
    for (const CaseOutcome* one : symptoms.failing)
        if (std::ranges::any_of(symptoms.findings_of(*one), reads_and_writes) &&
            !code.calls_any({"atomicAdd", "atomicInc", "atomicCAS", "atomicExch", "atomicOr",
                             "atomicMax", "atomicMin", "atomicSub"})) {
            cause.id = "in_place";
            cause.advice =
                "Write to another array, or do the two steps in two kernels: nothing but the end "
                "of a kernel makes blocks wait for each other.";
            return;
        }
}

/// Whether a line shifts the top byte of 32 bits down and takes it as it is: of a signed number
/// that leaves the sign.
bool shifts_top_byte_down(const SourceLocation& location, std::span<const SourceFile> source) {
    const std::string_view text = text_of(location.file, source);
    const std::vector<Token> tokens = tokens_of(text);
    // (`>>` is two tokens: it may end two lists of template arguments.)
    for (std::size_t i = 0; i + 3 < tokens.size(); ++i)
        if (tokens[i].line == location.line && tokens[i].text == ">" && tokens[i + 1].text == ">" &&
            tokens[i + 2].text == "24" && tokens[i + 3].text != "&")
            return true;
    return false;
}

/// An index below zero that is the top byte of a signed number, in the line or where its names are
/// made.
void tell_signed_index(std::span<const SourceFile> source, Cause& cause) {
    if (cause.id != "missing_bounds_check" ||
        cause.sentence.find("before the start") == std::string::npos)
        return;
    std::optional<SourceLocation> shift;
    if (shifts_top_byte_down(cause.location, source)) shift = cause.location;
    for (const std::string& name : names_in(cause.location.file, cause.location.line, source)) {
        if (shift) break;
        shift = definition_of(name, cause.location.file, cause.location.line, source);
        if (shift && !shifts_top_byte_down(*shift, source)) shift.reset();
    }
    if (!shift) return;
    cause.location = {shift->file, shift->line, 0};
    cause.id = "signed_byte";
    cause.sentence = fmt::format(
        "Line {} shifts a signed number to the right: of a top byte from 128 on the sign stays, "
        "and the index is negative.",
        cause.location.line);
    cause.advice = "Shift an unsigned number, or keep the low byte alone: x >> 24 & 255.";
}

/// A warp's call that lanes miss because its mask names them.
void tell_mask(std::span<const SourceFile> source, Cause& cause) {
    if (cause.id != "divergent_barrier" || !cause.second || cause.second->line <= 0) return;
    const auto left_by = names_in(cause.second->file, cause.second->line, source);
    if (std::ranges::any_of(left_by,
                            [](const std::string& one) { return one == "for" || one == "while"; }))
        return;
    const auto names = names_in(cause.location.file, cause.location.line, source);
    if (std::ranges::none_of(names, [](const std::string& one) { return one.ends_with("_sync"); }))
        return;
    cause.id = "wrong_shuffle_mask";
    cause.sentence =
        fmt::format("The mask of the call in line {} names lanes that have left in line {}.",
                    cause.location.line, cause.second->line);
    cause.advice = "Name in the mask all lanes that make the call, and only those.";
}

/// Where lanes of a warp wait, if the rest of the block waits elsewhere: at the call with the mask.
void tell_waiting_call(Cause& cause) {
    if (cause.id != "wrong_shuffle_mask") return;
    for (const std::string_view call :
         {"at `shfl` in line ", "at `vote` in line ", "at `match` in line ", "at `redux` in line ",
          "at `bar.warp` in line "}) {
        const std::size_t at = cause.sentence.find(call);
        if (at == std::string::npos) continue;
        int line = 0;
        const char* const first = cause.sentence.data() + at + call.size();
        std::from_chars(first, cause.sentence.data() + cause.sentence.size(), line);
        if (line <= 0 || line == cause.location.line) return;
        cause.second = cause.location;
        cause.location.line = line;
        cause.location.column = 0;
        return;
    }
}

/// How the emulated GPU's message about a launch begins; the kernel's name follows.
constexpr std::string_view of_a_launch = "kernel launch: ";

/// Data of a lock that are used outside of it, unless a checker saw something else than the race
/// that comes of it. The text also has the line between the two in which the lock is given back.
std::optional<Cause> outside_of_lock(std::span<const Cause> found, const CodeOfTask* code,
                                     const Symptoms& symptoms) {
    if (!found.empty() && found.front().id != "missing_atomic" &&
        found.front().id != "blocks_not_combined")
        return {};
    auto by_text = code != nullptr ? code->by_text(symptoms) : std::nullopt;
    if (by_text && by_text->id == "lock_not_held") {
        const auto races = [&](const Cause& one) {
            return one.location.file == by_text->location.file &&
                   one.location.line >= by_text->location.line &&
                   one.location.line <= by_text->end_line;
        };
        if (symptoms.unlocked || std::ranges::any_of(found, races)) return by_text;
    }
    return symptoms.unlocked;
}

/// Without an experiment, the surest first.
std::optional<Cause> likely_cause(const TaskSpec* task, const CodeOfTask* code,
                                  std::string_view compiler_output,
                                  std::span<const SourceFile> source, const TaskOutcome& outcome,
                                  const Symptoms& symptoms) {
    std::vector<Cause> found = likely_causes(symptoms, source);
    std::optional<Cause> cause;
    if (code != nullptr) {
        const std::vector<Cause> warnings = code->warned_of(compiler_output);
        if (!warnings.empty())
            cause = warnings.front();
        else
            cause = code->by_cases(outcome, symptoms);
        if (cause && cause->cases.empty()) cause->cases = ids_of(symptoms.failing);
        // What a checker saw is more than what the cases have in common; a place outside of all
        // memory may be no more than its effect.
        const bool is_seen = !found.empty() && found.front().id != "missing_bounds_check";
        // What a rest that nobody takes leaves unwritten, another kernel may read.
        const bool is_of_rest = cause && cause->id == "tail_ignored" && is_seen &&
                                found.front().id == "uninitialised_variable";
        if (cause && warnings.empty() && is_seen && !is_of_rest) cause.reset();
    }
    // Where an access goes wrong is not why, and a pattern of the results fits many mistakes.
    const bool is_vague = found.empty() || found.front().id == "missing_bounds_check";
    if (task != nullptr && is_vague) {
        if (auto slip = plain_slip(*task, source, symptoms)) {
            cause = std::move(slip);
            cause->cases = ids_of(symptoms.failing);
        }
    }
    if (!cause && !found.empty()) cause = found.front();
    if (auto unlocked = outside_of_lock(found, code, symptoms)) {
        cause = std::move(unlocked);
        cause->cases = ids_of(symptoms.failing);
    }
    if (!cause && code != nullptr && symptoms.has(Verdict::wrong_answer)) {
        cause = code->unused_copy();
        if (!cause) cause = code->zero_that_stays();
        if (!cause) cause = exchanged_in_table(*task, source);
        if (!cause) cause = divided_first(*task, source);
        if (cause) cause->cases = ids_of(symptoms.failing);
    }
    if (!cause && code != nullptr) cause = code->by_text(symptoms);
    // A level of several that is forgotten is seen before a pattern tells of it.
    const bool is_of_level = symptoms.unread && symptoms.unread->end_line > 0;
    if (!cause && code != nullptr && !is_of_level) cause = code->by_pattern(symptoms);
    if (!cause && symptoms.unread) {
        cause = symptoms.unread;
        cause->cases = ids_of(symptoms.failing);
    }
    if (!cause && code != nullptr && is_wrong_in_order(symptoms) &&
        code->fails_from_a_size_on(symptoms)) {
        cause = wrong_from_a_size_on(*task, source);
        if (cause) cause->cases = ids_of(symptoms.failing);
    }
    if (!cause && task != nullptr && is_wrong_in_order(symptoms)) {
        cause = possible_slip(*task, source);
        if (cause) cause->cases = ids_of(symptoms.failing);
    }
    if (!cause) return cause;
    if (cause->location.line == 0)
        if (const std::size_t at = cause->sentence.find(of_a_launch); at != std::string::npos)
            cause->location =
                launch_of(kernel_name(cause->sentence.substr(at + of_a_launch.size())), source);
    if (cause->instance.empty() && !cause->sentence.empty()) illustrate(symptoms, *cause);
    return cause;
}

/// The check that keeps no thread out is there, in sight of where it is missed, and the compiler
/// knows why.
void name_the_warning(std::span<const Cause> warnings, Cause& cause) {
    constexpr int in_sight = 5;
    for (const Cause& warning : warnings) {
        const SourceLocation& compared = warning.second ? *warning.second : warning.location;
        const bool is_near =
            cause.location.line == 0 || (compared.file == cause.location.file &&
                                         std::abs(compared.line - cause.location.line) <= in_sight);
        if (warning.id != "unsigned_index" || !is_near) continue;
        cause.id = warning.id;
        cause.location = warning.location;
        cause.second = warning.second;
        cause.sentence = warning.sentence;
        cause.advice = warning.advice;
        return;
    }
}

/// `blockIdx.x - 1 >= 0` holds for every block.
void tell_unsigned_check(std::span<const SourceFile> source, Cause& cause) {
    if (cause.id != "missing_bounds_check") return;
    const std::string_view text = text_of(cause.location.file, source);
    std::vector<Token> tokens = tokens_of(text);
    std::erase_if(tokens, [&](const Token& one) { return one.line != cause.location.line; });
    for (std::size_t i = 0; i + 6 < tokens.size(); ++i) {
        const bool is_unsigned =
            is_any(tokens[i].text, {"blockIdx", "threadIdx"}) && tokens[i + 1].text == ".";
        if (!is_unsigned || tokens[i + 3].text != "-" || tokens[i + 5].text != ">=" ||
            tokens[i + 6].text != "0")
            continue;
        cause.id = "unsigned_index";
        cause.sentence = fmt::format(
            "`{}.{} - {}` in line {} is an unsigned number: it is never below 0, but very large "
            "instead.",
            tokens[i].text, tokens[i + 2].text, tokens[i + 4].text, cause.location.line);
        cause.advice = fmt::format("Compare `{}.{} >= {}`.", tokens[i].text, tokens[i + 2].text,
                                   tokens[i + 4].text);
        return;
    }
}

/// What a checker saw, if a change has only taken that away: its message says who did not come, and
/// where they went. The change proves that nothing else is wrong.
std::optional<Cause> seen_before(const Cause& proven, std::span<const SourceFile> source,
                                 const Symptoms& symptoms) {
    constexpr std::array ids = {std::string_view("misaligned"),
                                std::string_view("divergent_barrier"),
                                std::string_view("wrong_shuffle_mask")};
    if (std::ranges::find(ids, proven.id) == ids.end()) return {};
    std::vector<Cause> seen = likely_causes(symptoms, source);
    if (seen.empty() || seen.front().id != proven.id) return {};
    Cause& first = seen.front();
    first.proof = Proof::proven;
    first.evidence = proven.evidence;
    first.cases = proven.cases;
    // Where threads have left comes before where the others wait.
    const bool is_of_leaving = proven.id == "divergent_barrier";
    if ((!first.second || is_of_leaving) && proven.location.line > 0)
        first.second = proven.location;
    return std::move(first);
}

std::optional<Cause> find_cause(const TaskRun& run, const Laboratory& laboratory,
                                const CodeOfTask& code, std::span<const SourceFile> source,
                                std::string_view compiler_output, const TaskOutcome& outcome,
                                Symptoms& symptoms) {
    if (symptoms.failing.front()->verdict == Verdict::function_missing) {
        Cause cause =
            missing_function_cause(*run.assignment, *run.task, run.session.executable, source);
        cause.cases = ids_of(symptoms.failing);
        return cause;
    }
    if (auto unwritten = nothing_launched(*run.task, source, symptoms)) return unwritten;
    auto by_call = likely_causes(symptoms, source);
    // No change of the execution gives a kernel other memory.
    if (!by_call.empty() &&
        is_any(by_call.front().id, {"host_pointer_in_kernel", "use_after_free"}))
        prove_by_address(symptoms, by_call.front());
    if (!by_call.empty() && is_told_by_a_call(by_call.front())) {
        if (by_call.front().instance.empty()) illustrate(symptoms, by_call.front());
        return by_call.front();
    }
    if (laboratory.graded != nullptr) {
        // The marks stand. What an experiment cannot do must not cost them.
        auto proven = proven_cause(run, laboratory, source, code, outcome,
                                   {.swapped_launch = asks_for_one_block_size(symptoms),
                                    .small_grid = fails_for_nothing_alone(*run.task, symptoms)},
                                   symptoms);
        if (proven && *proven) {
            // What fails says which elements they are that an index or a limit takes wrongly.
            if ((*proven)->id == "wrong_element")
                if (const auto by = code.by_cases(outcome, symptoms); by && by->location.line == 0)
                    (*proven)->id = by->id;
            if ((*proven)->id == "missing_bounds_check")
                name_the_warning(code.warned_of(compiler_output), **proven);
            // Bits that go through an integer may be no more than what a sum in it loses.
            if ((*proven)->id == "converted_not_reinterpreted")
                if (auto slip = plain_slip(*run.task, source, symptoms);
                    slip && slip->id == "accumulator_too_narrow") {
                    slip->cases = ids_of(symptoms.failing);
                    illustrate(symptoms, *slip);
                    return slip;
                }
            if (auto seen = seen_before(**proven, source, symptoms)) proven = std::move(seen);
            if ((*proven)->instance.empty()) illustrate(symptoms, **proven);
            return *proven;
        }
    }
    return likely_cause(run.task, &code, compiler_output, source, outcome, symptoms);
}

}  // namespace

void find_causes(const TaskRun* run, const Laboratory& laboratory,
                 std::span<const SourceFile> source, std::string_view compiler_output,
                 TaskOutcome& outcome) {
    Symptoms symptoms(outcome);
    if (symptoms.failing.empty()) return;
    if (run == nullptr) {
        if (auto cause = likely_cause(nullptr, nullptr, compiler_output, source, outcome, symptoms))
            outcome.causes.push_back(*std::move(cause));
        return;
    }
    const CodeOfTask code(*run->task, source);
    auto cause = find_cause(*run, laboratory, code, source, compiler_output, outcome, symptoms);
    if (!cause) return;
    if (cause->id == "ghost_policy" && cause->location.line == 0)
        name_the_warning(code.warned_of(compiler_output), *cause);
    tell_empty_grid(*run->task, symptoms, *cause);
    tell_race(code, source, symptoms, *cause);
    tell_signed_index(source, *cause);
    tell_mask(source, *cause);
    tell_waiting_call(*cause);
    tell_unsigned_check(source, *cause);
    if (!move_to_edit(*run->task, source, *cause) || cause->id == "halo_missing")
        code.place(*cause);
    move_by_text(*run->task, source, *cause);
    if (cause->id == "uninitialised_output" && fails_for_nothing_alone(*run->task, symptoms))
        code.place_at_early_return(*cause);
    prove_by_address(symptoms, *cause);
    // A pattern suggests it, and nothing in the source clamps.
    if (cause->id == "saturated" && cause->location.line == 0) return;
    outcome.causes.push_back(*std::move(cause));
}

}  // namespace cugrade
