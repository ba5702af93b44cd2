#include "judging/unread_cause.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "judging/checks.hpp"
#include "judging/source_code.hpp"
#include "judging/source_places.hpp"

namespace cugrade {
namespace {

/// A kernel that is launched for each level of something: one of them is forgotten behind the last
/// launch of it.
bool is_of_a_level(std::span<const SourceFile> source, Cause& cause) {
    const std::string_view text = text_of(cause.location.file, source);
    const SourceFile file{cause.location.file, std::string(text)};
    const SourceCode code(file);
    const SourceCode::Function* kernel = code.around(cause.location.line);
    if (kernel == nullptr) return false;
    int launches = 0, first = 0, last = 0;
    for (const SourceCode::Launch& launch : code.launches())
        if (launch.kernel == kernel->name) {
            first = code.tokens()[launch.at].line;
            ++launches;
        }
    if (launches < 2) return false;
    for (const SourceCode::Launch& launch : code.launches())
        if (const int line = code.tokens()[launch.at].line; code.around(line) == code.around(first))
            last = std::max(last, line);
    cause.second = cause.location;
    cause.location = {cause.location.file, first, 0};
    if (last > first) cause.end_line = last;
    return true;
}

}  // namespace

std::optional<Cause> unread_cause(std::span<const emulator::Finding> seen,
                                  std::span<const SourceFile> source) {
    const auto one =
        std::ranges::find(seen, emulator::FindingKind::unread_stores, &emulator::Finding::kind);
    if (one == seen.end() || one->place.line <= 0) return {};
    Cause cause{.id = "blocks_not_combined", .location = location_of(one->place)};
    if (text_of(cause.location.file, source).empty()) return {};
    cause.sentence = fmt::format(
        "Nobody reads most of what line {} stores: what is computed there does not reach the "
        "result.",
        one->place.line);
    cause.explains = {"wrong_answer"};
    cause.advice =
        "Combine it with the rest: in the kernel that stores it, or in one that is launched behind "
        "it.";
    if (!is_of_a_level(source, cause) && one->second && one->second->line > 0) {
        cause.second = cause.location;
        cause.location = location_of(*one->second);
        cause.advice =
            fmt::format("Let line {} take all of it, of every block.", cause.location.line);
    }
    return cause;
}

}  // namespace cugrade
