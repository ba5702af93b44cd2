#include "judging/lock_causes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "judging/checks.hpp"
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

}  // namespace

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
            }
            break;
    }
    return cause;
}

}  // namespace cugrade
