// Theory of operation. A finding's message tells one event: this thread, that address. A cause is
// told by what all such events have in common: the lines, the array's name and what is missing
// between them. The message then serves as its concrete instance.
#include "judging/finding_sentences.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

namespace cugrade {
namespace {

/// "line 7", or "lines 7 and 9".
std::string lines_of(const CheckerFinding& finding) {
    const int first = finding.location ? finding.location->line : 0;
    const int second = finding.second_location ? finding.second_location->line : 0;
    if (first <= 0) return {};
    if (second <= 0 || second == first) return fmt::format("line {}", first);
    return fmt::format("lines {} and {}", std::min(first, second), std::max(first, second));
}

/// The array that is named, in backquotes; "one word" where none is.
std::string array_of(const CheckerFinding& finding) {
    const std::string& text = finding.message;
    const std::size_t begin = text.find('`');
    const std::size_t end = begin == std::string::npos ? begin : text.find('`', begin + 1);
    if (end == std::string::npos && text.find("the block's shared memory") != std::string::npos)
        return "the block's shared memory";
    if (end == std::string::npos)
        return text.find("shared memory") != std::string::npos ? "one word of shared memory"
                                                               : "one word of memory";
    return text.substr(begin, end - begin + 1);
}

bool says(const CheckerFinding& finding, std::string_view text) {
    return finding.message.find(text) != std::string::npos;
}

std::string out_of_bounds(const CheckerFinding& finding, const std::string& lines) {
    if (says(finding, "freed") || says(finding, "no device address")) return {};
    const std::string_view side = says(finding, "before the start of") ? "before the start of"
                                  : says(finding, "past the end of")   ? "past the end of"
                                                                       : "outside of";
    return fmt::format("L{} accesses memory {} {}.", lines.substr(1), side,
                       side == "outside of" ? "all arrays" : array_of(finding));
}

}  // namespace

std::string sentence_of(const CheckerFinding& finding) {
    const std::string lines = lines_of(finding);
    if (lines.empty()) return {};
    if (finding.kind == "shared_race")
        return fmt::format(
            "Threads of a block use {} in {}, at least one of them writes, and no barrier makes "
            "them wait.",
            array_of(finding), lines);
    if (finding.kind == "global_race")
        return fmt::format(
            "Threads use {} in {}, at least one of them writes, and nothing orders them.",
            array_of(finding), lines);
    if (finding.kind == "missing_atomic" || finding.kind == "lost_update")
        return fmt::format(
            "Threads read, change and write {} in {} at the same time: what one of them writes is "
            "lost.",
            array_of(finding), lines);
    if (finding.kind == "missing_syncwarp")
        return fmt::format(
            "Lanes of a warp use {} in {}, at least one of them writes, and they need not run in "
            "step.",
            array_of(finding), lines);
    if (finding.kind == "barrier_divergence" && finding.second_location &&
        says(finding, "ended without"))
        return fmt::format(
            "Some threads of a block have left in line {} and do not come to the barrier in line "
            "{}, which is for all of them.",
            finding.second_location->line, finding.location->line);
    if (finding.kind == "uninitialised_read")
        return fmt::format("L{} uses what nobody has written{}.", lines.substr(1),
                           says(finding, "`") ? " in " + array_of(finding)
                           : says(finding, "shared memory") ? " in shared memory"
                                                            : "");
    if (finding.kind == "out_of_bounds") return out_of_bounds(finding, lines);
    return {};
}

std::string fact_of(std::string message) {
    constexpr auto advice = std::to_array<std::string_view>(
        {": put ", "; put ", ": use ", "; use ", ". A barrier is ", ", so fill it first",
         ": new memory holds garbage"});
    for (const std::string_view one : advice)
        message.resize(std::min(message.size(), message.find(one)));
    if (const std::size_t end = message.find('\n'); end != std::string::npos) message.resize(end);
    if (message.empty()) return message;
    if (message.back() != '.') message += '.';
    // Not of a file's name or a function's.
    const std::string_view word = std::string_view(message).substr(0, message.find(' '));
    if (std::ranges::all_of(
            word, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }))
        message.front() =
            static_cast<char>(std::toupper(static_cast<unsigned char>(message.front())));
    return message;
}

}  // namespace cugrade
