#include "report/explained.hpp"

#include <algorithm>

namespace cugrade::report {
namespace {

bool explains(const Cause& cause, const CaseOutcome& c) {
    return std::ranges::count(cause.cases, c.id) > 0;
}

}  // namespace

const Cause* cause_of(const TaskOutcome& task, const CaseOutcome& c) {
    for (const Cause& cause : task.causes)
        if (explains(cause, c)) return &cause;
    return nullptr;
}

bool is_explained(const TaskOutcome& task, const CaseOutcome& c, const CheckerFinding& finding) {
    return std::ranges::any_of(task.causes, [&](const Cause& cause) {
        return explains(cause, c) && std::ranges::count(cause.explains, finding.kind) > 0;
    });
}

std::vector<const Cause*> told_causes(const TaskOutcome& task) {
    std::vector<const Cause*> out;
    std::vector<int> told;
    for (const Cause& cause : task.causes) {
        const bool more = std::ranges::any_of(
            cause.cases, [&](int id) { return std::ranges::count(told, id) == 0; });
        if (out.empty() || more) out.push_back(&cause);
        told.insert(told.end(), cause.cases.begin(), cause.cases.end());
    }
    return out;
}

std::string text_of(const Cause& cause) {
    std::string out = cause.sentence;
    if (!out.empty() && !out.ends_with('.')) out += '.';
    if (!cause.advice.empty()) out += (out.empty() ? "" : " ") + cause.advice;
    if (cause.proof == Proof::likely) out += " (likely, not proven)";
    return out;
}

}  // namespace cugrade::report
