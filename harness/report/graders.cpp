#include "report/graders.hpp"

#include <fmt/format.h>

#include "report/annotations.hpp"
#include "report/not_judged.hpp"
#include "report/task_text.hpp"

namespace cugrade::report {
namespace {

std::string text_of_correctness(const TaskReport& task) {
    std::string out;
    for (const Annotation& one : annotations_of(task)) {
        out += one.level == Annotation::Level::warning ? "warning: " : "";
        if (one.location && one.location->line > 0)
            out += fmt::format("{}:{}: ", one.location->file, one.location->line);
        out += fmt::format("{}: {}{}\n", one.rule, one.text,
                           one.cases > 1 ? fmt::format(" ({} cases)", one.cases) : "");
    }
    if (task.correctness.judged < task.correctness.possible)
        for (const CaseOutcome& c : task.outcome.cases)
            if (!is_judged(c.verdict)) return out + "not judged: " + c.message + "\n";
    return out;
}

std::string text_of_technique(const TechniqueReport& technique) {
    std::string out;
    for (const Measure& measure : technique.measures)
        out += fmt::format("{}: {:.3g}, at most {:g}{}\n", measure.metric, measure.value,
                           measure.max, measure.kept() ? "" : ": not kept");
    return out;
}

std::string text_of_speed(const TaskReport& task) {
    const auto& timing = task.outcome.timing;
    if (!timing) return text(task.outcome.untimed);
    std::string out = speedup_text(task) + " times the baseline";
    if (timing->basis == TimingOutcome::Basis::modelled) out += ", modelled";
    if (task.next_tier > 0) out += fmt::format("; more points from {:g} times on", task.next_tier);
    return out + "\n";
}

}  // namespace

std::vector<Part> parts_of(const Report& report) {
    std::vector<Part> out;
    for (const TaskReport& task : report.tasks) {
        if (task.correctness.possible > 0)
            out.push_back(
                {task.name + ": correctness", task.correctness, text_of_correctness(task)});
        if (task.technique)
            out.push_back({task.name + ": technique", task.technique->score,
                           text_of_technique(*task.technique)});
        if (task.performance.possible > 0)
            out.push_back({task.name + ": speed", task.performance, text_of_speed(task)});
    }
    return out;
}

}  // namespace cugrade::report
