// Causes without an experiment: what findings, verdicts and messages say by themselves.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "judging/finding_sentences.hpp"
#include "judging/host_causes.hpp"
#include "judging/hypotheses.hpp"

namespace cugrade {
namespace {

/// What a kind of finding suggests. A row with `says` holds only where the message has that text.
struct Suggestion {
    std::string_view kind;
    std::string_view says;
    std::string_view id;
    std::string_view advice;
};
// What comes first in the table is the reason of what comes later.
constexpr auto suggestions = std::to_array<Suggestion>({
    // What lands behind an array's end lands in other threads' words, too.
    {"out_of_bounds", "past the end of the block's shared", "array_too_small",
     "Make the shared array as large as the largest index that is used, plus one."},
    {"missing_atomic", "", "missing_atomic",
     "Use an atomic function, or give each thread a place of its own and combine them afterwards."},
    {"lost_update", "", "missing_atomic",
     "Use an atomic function, or one place for each thread: volatile makes nothing atomic."},
    {"shared_race", "", "missing_barrier",
     "Put __syncthreads() between the two accesses, where all threads of the block come by."},
    {"global_race", "no fence lies between", "missing_fence",
     "Put __threadfence() between the data and the flag or lock that tells of them, and behind the "
     "loop that waits for it."},
    {"global_race", "without a fence in front", "missing_fence",
     "Put __threadfence() between the data and the flag or counter that tells of them."},
    {"global_race", "without a fence behind it", "missing_fence",
     "Put __threadfence() behind the loop that takes the lock."},
    {"global_race", "the lock that the thread holds", "lock_not_held",
     "Let all who touch it take the same lock, with __threadfence() behind taking it and before "
     "giving it back."},
    {"global_race", "", "missing_atomic",
     "Nothing but the end of the kernel orders blocks: use an atomic function, or a second "
     "kernel."},
    {"missing_syncwarp", "", "missing_warp_sync", "Put __syncwarp() between the two accesses."},
    {"barrier_divergence", "", "divergent_barrier",
     "Move the barrier out of the branch, so that every thread of the block comes to it."},
    {"mask_without_caller", "", "wrong_shuffle_mask",
     "Name in the mask all lanes that make the call, and only those."},
    {"inactive_lane_read", "", "wrong_shuffle_mask",
     "Let all lanes that the mask names, and that are asked, take part in the call."},
    {"uninitialised_read", "shared", "uninitialised_shared",
     "Store into it first, and put __syncthreads() between that and the read."},
    {"uninitialised_read", "", "uninitialised_variable", "Store a value before it is used."},
    {"freed_memory", "", "use_after_free", "Free memory after the last kernel that uses it."},
    {"misaligned", "", "misaligned",
     "Access single elements where the address is no multiple of the wide type's size, or pad the "
     "rows so that it always is."},
    {"out_of_bounds", "passes the address", "", ""},  // the message says what to do
    {"out_of_bounds", "freed", "use_after_free", "Free memory after the last kernel that uses it."},
    {"out_of_bounds", "host", "host_pointer_in_kernel",
     "Copy the data to device memory (cudaMalloc, cudaMemcpy), and pass that pointer."},
    {"out_of_bounds", "local", "array_too_small",
     "Make the array as large as the largest index that is used, plus one."},
    {"out_of_bounds", "", "missing_bounds_check",
     "Compare the index with the array's size before the access."},
});

struct OfVerdict {
    Verdict verdict;
    std::string_view says;
    std::string_view id;
    std::string_view advice;
    std::string_view proof = {};  ///< what proves it; empty: it is likely
};
constexpr auto of_verdicts = std::to_array<OfVerdict>({
    {Verdict::function_missing, "", "function_missing", "",
     "the linked program has no such function"},
    {Verdict::compile_error, "", "does_not_compile", "Read the compiler's first message first.",
     "the compiler's message"},
    {Verdict::forbidden, "", "forbidden_call", "Write it without that.",
     "the compiled source has it"},
    {Verdict::out_of_bounds, "freed", "use_after_free",
     "Free memory after the last kernel that uses it."},
    {Verdict::out_of_bounds, "host", "host_pointer_in_kernel",
     "Copy the data to device memory (cudaMalloc, cudaMemcpy), and pass that pointer."},
    {Verdict::out_of_bounds, "past the end of the block's shared", "array_too_small",
     "Make the shared array as large as the largest index that is used, plus one."},
    {Verdict::out_of_bounds, "local", "array_too_small",
     "Make the array as large as the largest index that is used, plus one."},
    {Verdict::out_of_bounds, "passes the address", "", ""},
    {Verdict::out_of_bounds, "", "missing_bounds_check",
     "Compare the index with the array's size before the access."},
    {Verdict::barrier_divergence, "", "divergent_barrier",
     "Move the barrier out of the branch, so that every thread of the block comes to it."},
    {Verdict::launch_error, "a grid of (0", "grid_too_small",
     "Round the number of blocks up: (n + threads - 1) / threads, and launch nothing for n = 0."},
    {Verdict::launch_error, "onfiguration", "launch_refused",
     "A block has at most 1024 threads and 48 KiB of shared memory."},
    {Verdict::launch_error, "threads per block", "launch_refused",
     "A block has at most 1024 threads."},
    {Verdict::launch_error, "shared memory", "launch_refused",
     "A block has at most 48 KiB of shared memory, unless more is asked for."},
    {Verdict::launch_error, "isaligned", "misaligned",
     "Access single elements where the address is no multiple of the wide type's size, or pad the "
     "rows so that it always is."},
    {Verdict::launch_error, "hostToDevice", "wrong_copy_direction",
     "Name the direction in which the bytes go, or cudaMemcpyDefault."},
    {Verdict::launch_error, "deviceToHost", "wrong_copy_direction",
     "Name the direction in which the bytes go, or cudaMemcpyDefault."},
    {Verdict::deadlock, "a mask may name only", "wrong_shuffle_mask",
     "Make the call where all lanes come by that the mask names, and choose afterwards."},
    {Verdict::wrong_answer, "was changed; it is const", "input_changed",
     "Write to the output, or to memory of your own: the caller keeps the input."},
    {Verdict::wrong_answer, "has to give back", "wrong_result_returned",
     "Return what was there before the operation, not what it has made of it."},
    {Verdict::crash, "device memory", "device_pointer_on_host",
     "The host cannot read device memory: copy it with cudaMemcpy, or compute in a kernel."},
});

/// "student.cu:12" or "student.cu(12)" in a text: the first such place.
std::optional<SourceLocation> place_in(std::string_view text) {
    for (const std::string_view suffix : {".cuh", ".cu", ".hpp", ".h"})
        for (std::size_t at = text.find(suffix); at != std::string_view::npos;
             at = text.find(suffix, at + 1)) {
            const std::size_t end = at + suffix.size();
            if (end + 1 >= text.size() || (text[end] != ':' && text[end] != '(')) continue;
            int line = 0;
            const auto [rest, error] =
                std::from_chars(text.data() + end + 1, text.data() + text.size(), line);
            if (error != std::errc{} || line <= 0) continue;
            std::size_t begin = text.find_last_of(" \t\n`'\"", at);
            begin = begin == std::string_view::npos ? 0 : begin + 1;
            return SourceLocation{std::string(text.substr(begin, end - begin)), line, 0};
        }
    return {};
}

/// Two blocks store into one place by the same statement, and neither has read it.
bool overwrites(const CheckerFinding& finding) {
    const std::string_view message = finding.message;
    return finding.kind == "global_race" && finding.location && finding.second_location &&
           finding.location->line == finding.second_location->line &&
           message.find(" writes ") != std::string_view::npos &&
           message.find("which is written") != std::string_view::npos &&
           message.find("of the same block") == std::string_view::npos;
}

/// Of one case: the first finding that has a row, or else what the verdict suggests.
std::optional<Cause> cause_of(const CaseOutcome& one, const std::vector<CheckerFinding>& findings) {
    const auto says = [](std::string_view message, std::string_view text) {
        return text.empty() || message.find(text) != std::string_view::npos;
    };
    // Where threads meet at different barriers, what they do to each other there follows from that.
    const bool is_divergent =
        one.verdict == Verdict::barrier_divergence &&
        std::ranges::any_of(findings, [](const CheckerFinding& finding) {
            return !finding.warning && finding.kind == "barrier_divergence";
        });
    for (const Suggestion& row : suggestions)
        for (const CheckerFinding& finding : findings) {
            if (finding.warning || finding.kind != row.kind || !says(finding.message, row.says))
                continue;
            if (is_divergent && finding.kind != "barrier_divergence") continue;
            if (row.id.empty()) return {};
            Cause cause{.id = std::string(row.id)};
            if (finding.location) cause.location = *finding.location;
            cause.second = finding.second_location;
            cause.sentence = sentence_of(finding);
            if (cause.sentence.empty()) cause.sentence = fact_of(finding.message);
            cause.advice = row.advice;
            cause.explains = {finding.kind, std::string(name(one.verdict))};
            if (row.id == "missing_atomic" && overwrites(finding)) {
                cause.id = "blocks_not_combined";
                cause.advice =
                    "Combine the blocks' results with an atomic function, or give each block a "
                    "place of its own and combine them in a second kernel.";
            }
            return cause;
        }
    for (const OfVerdict& row : of_verdicts) {
        if (row.verdict != one.verdict || !says(one.message, row.says)) continue;
        if (row.id.empty()) return {};
        Cause cause{.id = std::string(row.id)};
        if (one.location)
            cause.location = *one.location;
        else if (const auto place = place_in(one.message))
            cause.location = *place;
        cause.sentence = fact_of(one.message);
        cause.advice = row.advice;
        cause.explains = {std::string(name(one.verdict))};
        cause.evidence = row.proof;
        if (!row.proof.empty()) cause.proof = Proof::proven;
        return cause;
    }
    return {};
}

/// Cases that fail in the same way, and do not tell where; and what threads leave unset that have
/// left.
void explain_more(const Symptoms& symptoms, Cause& cause) {
    const auto is_explained = [&](const CaseOutcome* one) {
        return std::ranges::count(cause.cases, one->id) > 0;
    };
    std::set<Verdict> verdicts;
    for (const CaseOutcome* one : symptoms.failing)
        if (is_explained(one)) verdicts.insert(one->verdict);
    const auto leaves_unset = [&](const CaseOutcome* one) {
        return cause.id == "divergent_barrier" &&
               std::ranges::any_of(symptoms.findings_of(*one), [](const CheckerFinding& finding) {
                   return finding.kind == "uninitialised_read";
               });
    };
    for (const CaseOutcome* one : symptoms.failing) {
        if (leaves_unset(one)) cause.explains.emplace_back("uninitialised_read");
        const bool is_alike =
            verdicts.contains(one->verdict) && !one->location && symptoms.findings_of(*one).empty();
        if (!is_explained(one) && (is_alike || leaves_unset(one))) cause.cases.push_back(one->id);
    }
    std::ranges::sort(cause.cases);
    std::ranges::sort(cause.explains);
    const auto rest = std::ranges::unique(cause.explains);
    cause.explains.erase(rest.begin(), rest.end());
}

struct KnownAddress {
    std::string_view id, says, evidence;
};
constexpr auto known_addresses = std::to_array<KnownAddress>({
    {"use_after_free", "freed", "the memory had been freed when the kernel used it"},
    {"host_pointer_in_kernel", "host", "the address is one of the host's memory"},
    {"misaligned", "isaligned", "a GPU refuses the address, and so does the emulated one"},
    {"misaligned", "no multiple", "a GPU refuses the address, and so does the emulated one"},
});

}  // namespace

void prove_by_address(const Symptoms& symptoms, Cause& cause) {
    if (cause.proof == Proof::proven) return;
    for (const KnownAddress& row : known_addresses) {
        if (row.id != cause.id) continue;
        const auto says = [&](std::string_view message) {
            return message.find(row.says) != std::string_view::npos;
        };
        for (const CaseOutcome* one : symptoms.failing)
            if (says(one->message) ||
                std::ranges::any_of(symptoms.findings_of(*one), [&](const CheckerFinding& finding) {
                    return !finding.warning && says(finding.message);
                })) {
                cause.proof = Proof::proven;
                cause.evidence = row.evidence;
                return;
            }
    }
}

std::vector<Cause> likely_causes(const Symptoms& symptoms, std::span<const SourceFile> source) {
    std::vector<Cause> all;
    for (const CaseOutcome* one : symptoms.failing) {
        auto cause = host_cause(*one, source);
        if (!cause) cause = cause_of(*one, symptoms.findings_of(*one));
        if (!cause) continue;
        const auto same = std::ranges::find_if(all, [&](const Cause& other) {
            return other.id == cause->id && other.location.line == cause->location.line;
        });
        if (same == all.end()) {
            all.push_back(*std::move(cause));
            all.back().cases = {one->id};
        } else {
            same->cases.push_back(one->id);
        }
    }
    // One that fits more cases explains more; of two that fit as many, what was seen first.
    std::ranges::stable_sort(all, std::ranges::greater{},
                             [](const Cause& one) { return one.cases.size(); });
    if (all.size() > 1) all.resize(1);
    if (!all.empty()) explain_more(symptoms, all.front());
    return all;
}

}  // namespace cugrade
