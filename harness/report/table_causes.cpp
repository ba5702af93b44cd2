#include "report/table_causes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "report/excerpt.hpp"
#include "report/explained.hpp"
#include "report/places.hpp"

namespace cugrade::report {
namespace {

// --- the source

void write_excerpt(Page& page, const Cause& cause) {
    if (cause.excerpt.empty()) return;
    const auto last = std::ranges::max(cause.excerpt, {}, &SourceLine::line).line;
    const int width = columns(std::to_string(last));
    const auto indentation = common_indentation(cause.excerpt);
    const SourceLine* before = nullptr;
    for (const SourceLine& one : cause.excerpt) {
        const bool other_file = before != nullptr && before->file != one.file;
        if (other_file)
            page.line({{"  " + one.file, Tone::dim}});
        else if (before != nullptr && before->line + 1 != one.line)
            page.line({{"  " + padded("...", width, true), Tone::dim}});
        before = &one;
        const auto text = one.text.substr(std::min(indentation, one.text.size()));
        page.line(
            {{"  " + padded(std::to_string(one.line), width, true) + " | ", Tone::dim}, {text}});
        auto at = columns_at(cause, one.file, one.line);
        if (at.empty()) continue;
        for (int& column : at) column = std::max(column - static_cast<int>(indentation), 0);
        page.line({{"  " + repeated(static_cast<std::size_t>(width)) + " | ", Tone::dim},
                   {carets(text, at), Tone::bad}});
    }
}

// --- one cause

void write_cause(Page& page, const std::string& heading, const Cause& cause,
                 const TaskOutcome& task) {
    page.blank();
    page.paragraph(0, 2, heading + cause.sentence, Tone::bad);
    page.paragraph(2, 2, places_of(cause), Tone::dim);
    write_excerpt(page, cause);
    page.paragraph(2, 2, cause.instance);
    if (!cause.advice.empty())
        page.paragraph(2, 2, std::string(page.glyphs.arrow) + cause.advice, Tone::strong);
    page.paragraph(2, 2, how_sure(cause, task), Tone::dim);
}

// --- a task

/// What checkers saw beside what the causes explain, each kind at each place once.
void write_other_findings(Page& page, const TaskOutcome& task) {
    std::vector<std::string> said;
    for (const CaseOutcome& c : task.cases) {
        if (cause_of(task, c) == nullptr) continue;  // it is told on its own
        for (const CheckerFinding& f : c.findings) {
            const std::string where = f.location ? place_text(*f.location) : "";
            if (f.warning || is_explained(task, c, f) ||
                std::ranges::find(said, f.kind + where) != said.end())
                continue;
            said.push_back(f.kind + where);
            page.paragraph(2, 2, "also: " + f.message + (where.empty() ? "" : " (" + where + ")"));
        }
    }
}

/// `wrong`: a task is; else all that there are causes of are right, but slow.
std::string where_to_read_on(const std::vector<std::string>& ids, bool details, bool wrong) {
    constexpr std::size_t most = 3;  // chosen: one or two lines
    std::string text;
    for (std::size_t i = 0; i < std::min(ids.size(), most); ++i)
        text += fmt::format("{}`cugrade explain {}`", i == 0 ? "" : ", ", ids[i]);
    text += ids.size() == 1 ? " has the idea" : " have the ideas";
    if (!details)
        text += wrong ? "; `--details` shows the cases and their wrong values"
                      : "; `--details` shows what else costs time";
    return text;
}

/// `ids`: of those that were told, each once.
void write_causes_of(Page& page, const std::string& tasks, const TaskReport& task, bool details,
                     std::vector<std::string>& ids) {
    const auto told = told_causes(task.outcome);
    for (const Cause& cause : task.outcome.causes) {
        const bool is_told = std::ranges::find(told, &cause) != told.end();
        if (!is_told && !details) continue;
        write_cause(
            page, fmt::format("{} {}: {}", mark(page, task.verdict), tasks, is_told ? "" : "or: "),
            cause, task.outcome);
        if (std::ranges::find(ids, cause.id) == ids.end()) ids.push_back(cause.id);
    }
    if (!details) write_other_findings(page, task.outcome);
}

}  // namespace

void write_causes(Page& page, const Report& report, bool details) {
    std::vector<const TaskReport*> left;
    for (const TaskReport& task : report.tasks)
        if (!task.outcome.causes.empty()) left.push_back(&task);
    // What is not written yet does not push down what is wrong.
    // (clang 14, which builds the fuzzers, cannot read the ranges' form of this.)
    std::stable_partition(left.begin(), left.end(), [](const TaskReport* task) {
        return task->verdict != Verdict::function_missing;
    });
    const bool wrong = std::ranges::any_of(
        left, [](const TaskReport* task) { return task->verdict != Verdict::accepted; });
    std::vector<std::string> ids;
    while (!left.empty()) {
        const TaskReport& first = *left.front();
        std::string tasks;
        std::erase_if(left, [&](const TaskReport* task) {
            if (!same_causes(task->outcome.causes, first.outcome.causes)) return false;
            tasks += (tasks.empty() ? "" : ", ") + task->name;
            return true;
        });
        write_causes_of(page, tasks, first, details, ids);
    }
    if (!ids.empty()) page.paragraph(2, 2, where_to_read_on(ids, details, wrong), Tone::dim);
}

}  // namespace cugrade::report
