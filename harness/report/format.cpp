#include "report/format.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/formats.hpp"
#include "report/not_judged.hpp"

namespace cugrade::report {
namespace {

/// Why points of a part were not judged; empty if no one said.
NotJudged reason(const TaskReport& task, bool correctness) {
    if (task.verdict == Verdict::harness_error)
        return {.why = NotJudged::Why::other, .detail = "cugrade failed"};
    if (!correctness) return task.outcome.untimed;
    for (const auto& c : task.outcome.cases)
        if (c.verdict == Verdict::skipped && c.not_judged) return c.not_judged;
    return {};
}

/// Points that were not judged for one reason.
struct Open {
    NotJudged::Why why;
    std::string text;
    double points;
};

}  // namespace

const AssignmentPolicy* policy_of(const Report& report, const GradingPolicy* policy) {
    if (policy == nullptr || policy->sha256 != report.policy_sha256) return nullptr;
    const auto of = policy->assignments.find(report.assignment);
    return of == policy->assignments.end() ? nullptr : &of->second;
}

const std::vector<Format>& formats() {
    static const std::vector<Format> table{
        {"table", ".txt", "for people, on a terminal", write_table, true},
        {"html", ".html", "a page for people, in a browser and on paper", write_html, true},
        {"yaml", ".yaml", "for people and programs", write_yaml, true},
        {"json", ".json", "for programs; docs/report.schema.json describes it", write_json, true},
        {"gradescope", ".gradescope.json", "Gradescope's results.json", write_gradescope},
        {"prairielearn", ".prairielearn.json", "PrairieLearn's results.json", write_prairielearn},
        {"autolab", ".autolab.txt", "a table, and Autolab's scores in the last line",
         write_autolab},
        {"junit", ".junit.xml", "a test per case, for Jenkins, GitLab and others", write_junit},
        {"sarif", ".sarif", "findings at their lines, for code scanning and editors", write_sarif},
        {"gitlab", ".gitlab.json", "GitLab's code quality", write_gitlab},
        {"github", ".github.txt", "GitHub's annotations, for a job's output", write_github},
        {"markdown", ".md", "for people; GitHub's job summary", write_markdown},
    };
    return table;
}

Result<Format> find(std::string_view name) {
    const auto it = std::ranges::find(formats(), name, &Format::name);
    if (it != formats().end()) return *it;
    std::vector<std::string_view> names;
    for (const auto& format : formats()) names.push_back(format.name);
    return Error{.kind = ErrorKind::usage,
                 .message = fmt::format("there is no report format `{}`", name),
                 .remedy = fmt::format("use one of {}", fmt::join(names, ", "))};
}

std::optional<Format> format_of_file(const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    std::optional<Format> best;
    for (const Format& format : formats())
        if (name.ends_with(format.extension) &&
            (!best || format.extension.size() > best->extension.size()))
            best = format;
    return best;
}

Result<std::vector<Format>> formats_of_batch(const std::vector<std::string>& also) {
    std::vector<Format> out;
    for (const Format& format : formats())
        if (format.for_everybody || std::ranges::find(also, format.name) != also.end())
            out.push_back(format);
    for (const std::string& name : also)
        if (const auto known = find(name); !known) return known.error();
    return out;
}

std::string points_text(double points) {
    auto text = fmt::format("{:.2f}", points);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string score_line(const Report& report) {
    std::vector<Open> open;  // in order of appearance
    const auto add = [&](const Score& part, const NotJudged& reason) {
        const double points = part.possible - part.judged;
        if (!(points > 0)) return;
        auto it = std::ranges::find(open, text(reason), &Open::text);
        if (it == open.end()) it = open.insert(open.end(), {reason.why, text(reason), 0});
        it->points += points;
    };
    for (const auto& task : report.tasks) {
        add(task.correctness, reason(task, true));
        add(task.performance, reason(task, false));
        if (task.technique) add(task.technique->score, reason(task, true));
    }
    auto line = fmt::format("Score: {} of {} judged", points_text(report.score.earned),
                            points_text(report.score.judged));
    for (const Open& part : open) {
        const auto number = points_text(part.points);
        if (part.why == NotJudged::Why::needs_gpu)
            line += fmt::format("; {} {} a GPU", number, number == "1" ? "needs" : "need");
        else
            line += fmt::format("; {} not judged{}", number,
                                part.text.empty() ? "" : fmt::format(" ({})", part.text));
    }
    return line;
}

}  // namespace cugrade::report
