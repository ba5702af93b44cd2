#include "report/explained.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/places.hpp"

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

bool same_causes(const std::vector<Cause>& a, const std::vector<Cause>& b) {
    return std::ranges::equal(a, b, [](Cause x, Cause y) {
        x.cases.clear();
        y.cases.clear();
        return x == y;
    });
}

std::string places_of(const Cause& cause) {
    if (cause.location.line <= 0) return cause.location.file;
    std::string text = place_text(cause.location);
    if (cause.second && *cause.second != cause.location)
        text += " and " + place_text(*cause.second);
    return text;
}

std::string how_sure(const Cause& cause, const TaskOutcome& task) {
    std::string text;
    if (cause.proof != Proof::untold) {
        text = cause.proof == Proof::proven ? "Proven" : "Likely";
        if (!cause.evidence.empty())
            text += ": " + cause.evidence;
        else if (cause.proof == Proof::likely)
            text += ", not proven";
        if (!text.ends_with('.')) text += '.';
    }
    const bool leaves_some = std::ranges::any_of(task.cases, [&](const CaseOutcome& one) {
        return one.verdict != Verdict::accepted && is_judged(one.verdict) && !explains(cause, one);
    });
    auto ids = cause.cases;
    std::ranges::sort(ids);
    if (!ids.empty() && leaves_some)
        text += fmt::format("{}This explains case{} {}.", text.empty() ? "" : " ",
                            ids.size() > 1 ? "s" : "", case_ranges(ids));
    return text;
}

std::string text_of(const Cause& cause) {
    std::string out = cause.sentence;
    if (!out.empty() && !out.ends_with('.')) out += '.';
    if (!cause.advice.empty()) out += (out.empty() ? "" : " ") + cause.advice;
    if (cause.proof == Proof::likely) out += " (likely, not proven)";
    return out;
}

}  // namespace cugrade::report
