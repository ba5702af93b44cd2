#include "report/format.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/formats.hpp"

namespace cugrade::report {
namespace {

/// Why points of a part were not judged; empty if no one said.
std::string reason(const TaskReport& task, bool correctness) {
    if (task.verdict == Verdict::harness_error) return "cugrade failed";
    if (!correctness) return task.outcome.timing_note;
    for (const auto& c : task.outcome.cases)
        if (c.verdict == Verdict::skipped && !c.message.empty()) return c.message;
    return "";
}

}  // namespace

const std::vector<Format>& formats() {
    static const std::vector<Format> table{
        {"table", ".txt", "for people, on a terminal", write_table},
        {"yaml", ".yaml", "for people and programs", write_yaml},
        {"json", ".json", "for programs; docs/report.schema.json describes it", write_json},
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

std::string points_text(double points) {
    auto text = fmt::format("{:.2f}", points);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text == "-0" ? "0" : text;
}

std::string score_line(const Report& report) {
    std::vector<std::pair<std::string, double>> open;  // reason, points; in order of appearance
    const auto add = [&](const Score& part, const std::string& why) {
        const double points = part.possible - part.judged;
        if (!(points > 0)) return;
        auto it = std::ranges::find(open, why, &std::pair<std::string, double>::first);
        if (it == open.end()) it = open.insert(open.end(), {why, 0});
        it->second += points;
    };
    for (const auto& task : report.tasks) {
        add(task.correctness, reason(task, true));
        add(task.performance, reason(task, false));
        if (task.technique) add(task.technique->score, reason(task, true));
    }
    auto text = fmt::format("Score: {} of {} judged", points_text(report.score.earned),
                            points_text(report.score.judged));
    for (const auto& [why, points] : open) {
        const auto number = points_text(points);
        if (why == needs_gpu_note)
            text += fmt::format("; {} {} a GPU", number, number == "1" ? "needs" : "need");
        else
            text += fmt::format("; {} not judged{}", number,
                                why.empty() ? "" : fmt::format(" ({})", why));
    }
    return text;
}

}  // namespace cugrade::report
