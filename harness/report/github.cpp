// For a job of GitHub Actions. `github`: workflow commands, which mark the lines of a commit
// (docs.github.com, "Workflow commands for GitHub Actions"). `markdown`: for $GITHUB_STEP_SUMMARY,
// and for wherever else Markdown is shown.
#include <fmt/format.h>

#include "report/annotations.hpp"
#include "report/formats.hpp"
#include "report/task_text.hpp"

namespace cugrade::report {
namespace {

/// Data of a command: it ends at the line's end.
std::string data(std::string_view text) {
    std::string out;
    for (const char c : text) switch (c) {
            case '%': out += "%25"; break;
            case '\r': out += "%0D"; break;
            case '\n': out += "%0A"; break;
            default: out += c;
        }
    return out;
}

/// A property of a command: it also ends at a comma, and its name at a colon.
std::string property(std::string_view text) {
    std::string out;
    for (const char c : data(text)) switch (c) {
            case ':': out += "%3A"; break;
            case ',': out += "%2C"; break;
            default: out += c;
        }
    return out;
}

/// Text that is shown as it is, whatever Markdown would make of it: no links, no HTML, no mentions.
std::string plain(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '@') {
            out += "@\u200B";  // mentions nobody
            continue;
        }
        if (std::string_view("\\`*_{}[]<>()#+-.!|~&:$").find(c) != std::string_view::npos)
            out += '\\';
        out += c;
    }
    return out;
}

}  // namespace

std::string write_github(const Report& raw, const Style& style) {
    const Report report = presentable(raw);
    std::string out;
    for (const Annotation& one : annotations_of(report)) {
        out += one.level == Annotation::Level::error ? "::error " : "::warning ";
        if (one.location) {
            out += fmt::format("file={},", property(path_of(style, report, one.location)));
            if (one.location->line > 0) out += fmt::format("line={},", one.location->line);
            if (one.location->column > 0) out += fmt::format("col={},", one.location->column);
        }
        out += fmt::format("title={}::{}\n", property(one.rule), data(sentence(one)));
    }
    out += fmt::format("::notice title={}::{}\n", property(report.assignment),
                       data(score_line(report)));
    return out;
}

std::string write_markdown(const Report& raw, const Style&) {
    const Report report = presentable(raw);
    std::string out = fmt::format(
        "## {}\n\n{}\n\n| task | points | cases | speed | verdict |\n"
        "|---|---:|---:|---:|---|\n",
        plain(report.assignment_title), plain(score_line(report)));
    for (const TaskReport& task : report.tasks) {
        int judged = 0, accepted = 0;
        for (const CaseOutcome& c : task.outcome.cases) {
            judged += is_judged(c.verdict);
            accepted += c.verdict == Verdict::accepted;
        }
        const auto& timing = task.outcome.timing;
        out += fmt::format(
            "| {} | {} of {} | {}/{} | {} | {} |\n", plain(task.name),
            points_text(task.score.earned), points_text(task.score.judged), accepted, judged,
            timing
                ? fmt::format("{}×{}", speedup_text(task),
                              timing->basis == TimingOutcome::Basis::modelled ? " (modelled)" : "")
                : "",
            plain(name(task.verdict)));
    }
    const auto annotations = annotations_of(report);
    if (!annotations.empty()) out += "\n";
    for (const Annotation& one : annotations) {
        const std::string where =
            !one.location ? ""
            : one.location->line > 0
                ? fmt::format("{}:{}: ", plain(one.location->file), one.location->line)
                : plain(one.location->file) + ": ";
        out += fmt::format("- **{}** {}{}\n", plain(one.rule), where, plain(sentence(one)));
    }
    if (!report.compile_output.empty()) {
        // Indented by four spaces all of it is code, whatever it holds.
        out += "\n";
        std::string_view rest = report.compile_output;
        while (!rest.empty()) {
            const auto end = rest.find('\n');
            out += fmt::format("    {}\n", rest.substr(0, end));
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        }
    }
    for (const std::string& note : report.notes) out += fmt::format("\n{}\n", plain(note));
    return out;
}

}  // namespace cugrade::report
