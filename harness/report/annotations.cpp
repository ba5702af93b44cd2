#include "report/annotations.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/explained.hpp"

namespace cugrade::report {
namespace {

bool same_place(const std::optional<SourceLocation>& a, const std::optional<SourceLocation>& b) {
    if (!a || !b) return a.has_value() == b.has_value();
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

/// Counts it with the one that says the same, if there is one.
void add(std::vector<Annotation>& all, Annotation one) {
    const auto same = std::ranges::find_if(all, [&](const Annotation& other) {
        return other.rule == one.rule && other.level == one.level &&
               same_place(other.location, one.location);
    });
    if (same == all.end())
        all.push_back(std::move(one));
    else
        ++same->cases;
}

/// Where a failed case went wrong: its own place, or that of the finding that decided.
void place(const CaseOutcome& c, Annotation& one) {
    one.location = c.location;
    for (const CheckerFinding& finding : c.findings) {
        if (finding.warning) continue;
        if (!one.location) one.location = finding.location;
        if (!one.other && same_place(one.location, finding.location))
            one.other = finding.second_location;
    }
}

Annotation of_cause(const TaskReport& task, const Cause& cause) {
    Annotation one{.rule = cause.id, .task = task.name, .text = text_of(cause)};
    if (task.verdict == Verdict::accepted) one.level = Annotation::Level::warning;  // right, but slow
    if (!cause.location.file.empty()) one.location = cause.location;
    one.other = cause.second;
    one.cases = std::max(1, static_cast<int>(cause.cases.size()));
    return one;
}

Annotation of_finding(const TaskReport& task, const CheckerFinding& finding) {
    return {.level = finding.warning ? Annotation::Level::warning : Annotation::Level::error,
            .rule = finding.kind,
            .task = task.name,
            .text = finding.message,
            .location = finding.location,
            .other = finding.second_location};
}

Annotation of_case(const TaskReport& task, const CaseOutcome& c) {
    Annotation one{.rule = std::string(name(c.verdict)), .task = task.name, .text = c.message};
    if (!c.pattern.empty()) one.text += (one.text.empty() ? "" : ". ") + c.pattern;
    if (one.text.empty()) one.text = meaning(c.verdict);
    place(c, one);
    return one;
}

}  // namespace

std::vector<Annotation> annotations_of(const TaskReport& task) {
    std::vector<Annotation> all;
    for (const Cause* cause : told_causes(task.outcome)) all.push_back(of_cause(task, *cause));
    for (const CaseOutcome& c : task.outcome.cases)
        if (c.verdict != Verdict::accepted && is_judged(c.verdict) &&
            cause_of(task.outcome, c) == nullptr)
            add(all, of_case(task, c));
    for (const CaseOutcome& c : task.outcome.cases)
        for (const CheckerFinding& finding : c.findings) {
            // Of a case without a cause, the errors have made its message.
            const bool told = !finding.warning && cause_of(task.outcome, c) == nullptr;
            if (!told && !is_explained(task.outcome, c, finding))
                add(all, of_finding(task, finding));
        }
    return all;
}

std::vector<Annotation> unexplained(const TaskReport& task) {
    std::vector<Annotation> all = annotations_of(task);
    const auto causes = static_cast<std::ptrdiff_t>(told_causes(task.outcome).size());
    all.erase(all.begin(), all.begin() + causes);
    return all;
}

std::vector<Annotation> annotations_of(const Report& report) {
    std::vector<Annotation> all;
    for (const TaskReport& task : report.tasks)
        for (Annotation& one : annotations_of(task)) all.push_back(std::move(one));
    return all;
}

std::string path_of(const Style& style, const Report& report,
                    const std::optional<SourceLocation>& location) {
    const auto path = location                ? style.folder / location->file
                      : !style.source.empty() ? style.source
                                              : style.folder / report.submission_file;
    std::string text = path.lexically_normal().generic_string();
    if (text.size() > 1 && text.ends_with('/')) text.pop_back();
    return text;
}

std::string sentence(const Annotation& one) {
    return one.cases == 1 ? fmt::format("{}: {}", one.task, one.text)
                          : fmt::format("{}: {} ({} cases)", one.task, one.text, one.cases);
}

}  // namespace cugrade::report
