#include "judging/lock_causes.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "judging/checks.hpp"
#include "judging/lock_places.hpp"
#include "judging/source_places.hpp"
#include "judging/written_calls.hpp"

namespace cugrade {
namespace {

using emulator::Finding;
using emulator::FindingKind;

bool is_of_locks(const Finding& one) {
    return one.kind >= FindingKind::lock_order && one.kind <= FindingKind::lock_not_initialised;
}

/// The order of two locks is decided where the first of them is chosen: at the definition of what
/// atomicCAS or atomicExch is given as the lock in that line.
std::optional<SourceLocation> choice_of_lock(const SourceLocation& taken,
                                             std::span<const SourceFile> source) {
    constexpr int nearby = 20;
    for (const std::string_view api : {"atomicCAS", "atomicExch"})
        for (const WrittenCall& call : calls_of(api, source)) {
            if (call.location.line != taken.line || call.location.file != taken.file ||
                call.arguments.empty())
                continue;
            for (const std::string& name : names_in(taken.file, taken.line, source)) {
                if (call.arguments.front().find(name) == std::string::npos) continue;
                const auto found = definition_of(name, taken.file, taken.line, source);
                if (found && taken.line - found->line <= nearby) return found;
            }
        }
    return {};
}

/// Where one of two is chosen, if the line does: `first = swapped ? t : f` leads to `swapped`.
std::optional<SourceLocation> choice_at(const SourceLocation& line,
                                        std::span<const SourceFile> source) {
    const std::string_view text = text_of(line.file, source);
    const auto tokens = tokens_of(text);
    for (std::size_t i = 1; i < tokens.size(); ++i) {
        if (tokens[i].line != line.line || tokens[i].text != "?") continue;
        const auto flag = definition_of(std::string(tokens[i - 1].text), line.file, line.line, source);
        return flag && flag->line < line.line ? flag : line;
    }
    return {};
}

/// The same where a function of the student's takes it: at the definition of the pointer that a
/// caller gives it. `int* outer = &locks[from[i]];`
std::optional<SourceLocation> choice_in_call(const SourceLocation& caller,
                                             std::span<const SourceFile> source) {
    constexpr int nearby = 20;
    for (const std::string& name : names_in(caller.file, caller.line, source)) {
        const auto found = definition_of(name, caller.file, caller.line, source);
        if (!found || found->line >= caller.line || caller.line - found->line > nearby) continue;
        const auto words = names_in(found->file, found->line, source);
        if (std::ranges::any_of(words, [](std::string one) {
                std::ranges::transform(one, one.begin(),
                                       [](unsigned char c) { return std::tolower(c); });
                return one.find("lock") != std::string::npos ||
                       one.find("mutex") != std::string::npos;
            }))
            return found;
        if (const auto chosen = choice_at(*found, source)) return chosen;
    }
    return {};
}

/// Where memory is allocated that nothing on the host sets afterwards; nothing, if there are several
/// such places.
std::optional<SourceLocation> unset_allocation(std::span<const SourceFile> source) {
    std::optional<SourceLocation> found;
    for (const std::string_view api : {"cudaMalloc", "cudaMallocAsync", "cudaMallocManaged"})
        for (const WrittenCall& call : calls_of(api, source)) {
            const std::string variable =
                call.arguments.empty() ? std::string() : variable_of(call.arguments.front());
            if (variable.empty()) continue;
            const auto sets = [&](std::string_view name) {
                return std::ranges::any_of(calls_of(name, source), [&](const WrittenCall& other) {
                    return !other.arguments.empty() &&
                           variable_of(other.arguments.front()) == variable;
                });
            };
            if (sets("cudaMemset") || sets("cudaMemsetAsync") || sets("cudaMemcpy") ||
                sets("cudaMemcpyAsync"))
                continue;
            if (found) return {};
            found = call.location;
        }
    return found;
}

/// The calls around a place, from the atomic outwards.
CallChain chain_of(const emulator::Place& place, std::span<const emulator::Place> callers) {
    CallChain all{location_of(place)};
    for (const emulator::Place& one : callers) all.push_back(location_of(one));
    return all;
}

/// Around the lock that is taken first: where it is chosen, or else called for.
SourceLocation choice_by_callers(const Finding& one, std::span<const SourceFile> source) {
    for (const emulator::Place& caller : one.second_callers)
        if (const auto given = choice_in_call(location_of(caller), source)) return *given;
    return call_that_takes(chain_of(*one.second, one.second_callers), source);
}

/// Where the host sets each byte of an argument of the kernel to something other than 0; nothing, if
/// there are several such places.
std::optional<SourceLocation> memset_of_locks(const std::string& kernel,
                                              std::span<const SourceFile> source) {
    std::optional<SourceLocation> found;
    for (const std::string_view api : {"cudaMemset", "cudaMemsetAsync"})
        for (const WrittenCall& call : calls_of(api, source)) {
            if (call.arguments.size() < 3 || call.arguments[1] == "0") continue;
            const std::string variable = variable_of(call.arguments.front());
            const auto is_passed = [&](const WrittenCall& launch) {
                return launch.is_launch() &&
                       std::ranges::any_of(launch.arguments, [&](const std::string& argument) {
                           return !variable.empty() && variable_of(argument) == variable;
                       });
            };
            if (std::ranges::none_of(calls_of(kernel_name(kernel), source), is_passed)) continue;
            if (found) return {};
            found = call.location;
        }
    return found;
}

/// Waits for the warp outside of the loop in which each lane waits for its lock.
bool waits_behind(const SourceLocation& loop, int meeting, std::span<const SourceFile> source) {
    const auto names = names_in(loop.file, loop.line, source);
    return meeting > loop.line && std::ranges::find(names, "while") != names.end() &&
           !SourceText(text_of(loop.file, source)).is_below(meeting, loop.line);
}

/// From the function that takes the lock to where the mistake is edited.
void place(const Finding& one, std::span<const SourceFile> source, Cause& cause) {
    if (one.place.line <= 0) return;
    const CallChain here = chain_of(one.place, one.callers);
    switch (one.kind) {
        case FindingKind::lock_not_released: {
            const LostBy lost = one.second ? LostBy::ending : LostBy::coming_back;
            const auto missed = missed_release(here, lost, source);
            cause.second = cause.location;
            cause.location = missed ? *missed : call_that_takes(here, source);
            if (missed)
                cause.advice = fmt::format("Give the lock back on the way out in line {}, too.",
                                           missed->line);
            break;
        }
        case FindingKind::lock_taken_twice:
            cause.location = decision_to_take(here, source);
            break;
        case FindingKind::lock_per_lane: {
            if (!one.second) return;
            const SourceLocation loop =
                call_that_takes(chain_of(*one.second, one.second_callers), source);
            if (!waits_behind(loop, cause.location.line, source)) return;
            cause.second = cause.location;
            cause.location = loop;
            break;
        }
        default: break;
    }
    if (cause.second && cause.second->line == cause.location.line) cause.second.reset();
}

}  // namespace

bool is_told_of_locks(std::span<const Finding> seen) { return std::ranges::any_of(seen, is_of_locks); }

std::optional<Cause> lock_cause(std::span<const Finding> seen, std::span<const SourceFile> source) {
    const auto one = std::ranges::find_if(seen, is_of_locks);
    if (one == seen.end()) return {};
    Cause cause{.id = std::string(emulator::name_of(one->kind)), .proof = Proof::proven};
    if (one->place.line > 0) cause.location = location_of(one->place);
    if (one->second && one->second->line > 0) cause.second = location_of(*one->second);
    const int at = cause.location.line, other = cause.second ? cause.second->line : 0;
    cause.explains = {"time_limit", "deadlock", "livelock", "budget"};
    cause.evidence = "that is how the emulated GPU found the threads when none made progress";
    switch (one->kind) {
        case FindingKind::lock_taken_twice:
            cause.sentence = fmt::format(
                "Line {} waits for a lock that the same thread took in line {} and still holds, so "
                "it never gets it.",
                at, other);
            cause.advice =
                "Where both locks may be the same one, compare them first, and take it once.";
            break;
        case FindingKind::lock_not_released:
            cause.sentence =
                other == 0
                    ? fmt::format(
                          "A thread comes back to line {} for a lock that it still holds from the "
                          "last time: on one way through the loop it is not given back.",
                          at)
                    : fmt::format("A thread that takes a lock in line {} ends without giving it back, "
                                  "and others wait for it in line {}.",
                                  at, other);
            cause.advice =
                "Give the lock back on every way out: also where a second lock is not free, and "
                "before return, break and continue.";
            break;
        case FindingKind::lock_per_lane:
            cause.sentence = fmt::format(
                "A lane that holds a lock waits in line {} for the other lanes of its warp, and one of "
                "them waits in line {} for that lock.",
                at, other);
            cause.advice =
                "Wait for the warp only when the lock is given back, or let one lane of the warp take "
                "it for all.";
            break;
        case FindingKind::lock_not_initialised:
            cause.sentence = fmt::format(
                "The lock for which line {} waits was never set to free, and nobody holds it.", at);
            cause.advice =
                "Set it before the first kernel that uses it (cudaMemset after cudaMalloc): new memory "
                "holds garbage.";
            if (const auto allocated = unset_allocation(source)) {
                cause.second = cause.location;
                cause.location = *allocated;
            } else if (const auto set = memset_of_locks(one->kernel, source)) {
                cause.second = cause.location;
                cause.location = *set;
                cause.advice =
                    "cudaMemset sets each byte: it makes a word 0 or -1, but not 1. Let a free lock be 0, "
                    "or store the words in a kernel.";
            }
            break;
        default:
            cause.sentence = fmt::format(
                "Threads keep the lock of line {} while they wait in line {} for another one, and do "
                "so in different orders: each waits for what the next one holds.",
                other, at);
            cause.advice =
                "Take locks in one order everywhere, such as the lower index first, or give the first "
                "one back when the second is not free.";
            if (cause.second) {
                if (const auto chosen = choice_of_lock(*cause.second, source))
                    cause.location = *chosen;
                else
                    cause.location = choice_by_callers(*one, source);
            }
            break;
    }
    place(*one, source, cause);
    return cause;
}

std::optional<Cause> unlocked_cause(std::span<const Finding> seen) {
    const auto one = std::ranges::find(seen, FindingKind::used_without_lock, &Finding::kind);
    if (one == seen.end() || !one->second || one->place.line <= 0) return {};
    // From the kernel inwards, the first calls that are not the same.
    const CallChain reads = chain_of(one->place, one->callers);
    const CallChain stores = chain_of(*one->second, one->second_callers);
    std::size_t depth = 1;
    while (depth < std::min(reads.size(), stores.size()) &&
           reads[reads.size() - depth] == stores[stores.size() - depth])
        ++depth;
    Cause cause{.id = "lock_not_held", .location = reads[reads.size() - depth]};
    cause.second = stores[stores.size() - depth];
    if (cause.location.line <= 0) cause.location = location_of(one->place);
    cause.explains = {"wrong_answer", "nondeterministic", "data_race"};
    const bool was_before = one->message.find("before it takes") != std::string::npos;
    cause.sentence = fmt::format(
        "Line {} reads {} the lock what threads store in line {} while they hold it, and another one "
        "stores there in between.",
        cause.location.line, was_before ? "before taking" : "after giving back",
        cause.second->line);
    cause.advice = was_before
                       ? "Take the lock first, and read it then."
                       : "Read it before the lock is given back, into a variable of the thread.";
    return cause;
}

}  // namespace cugrade
