#include "cli/batch_lists.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "build/build_submission.hpp"
#include "core/printable.hpp"

namespace cugrade::cli {

std::string listed(std::string_view heading, const std::vector<std::string>& lines) {
    if (lines.empty()) return {};
    std::string text = fmt::format("\n{}\n", heading);
    for (std::string_view line : lines) {
        const std::size_t end = std::min(line.find('\n'), line.size());
        text += fmt::format("  {}\n", printable(line.substr(0, end)));
        line.remove_prefix(end);
        line.remove_prefix(std::min(line.find_first_not_of("\n "), line.size()));
        if (!line.empty()) text += fmt::format("      {}\n", printable(line));
    }
    return text;
}

std::string first_of(std::string_view heading, std::vector<std::string> lines) {
    constexpr std::size_t most = 20;
    if (lines.size() <= most) return listed(heading, lines);
    const std::size_t more = lines.size() - most;
    lines.resize(most);
    return listed(heading, lines) + fmt::format("  and {} more\n", more);
}

std::string some_of(std::vector<std::string> names) {
    constexpr std::size_t most = 5;
    const std::size_t more = names.size() - std::min(names.size(), most);
    names.resize(names.size() - more);
    return fmt::format("{}{}", fmt::join(names, ", "),
                       more > 0 ? fmt::format(" and {} more", more) : "");
}

std::vector<std::string> adjusted(const std::vector<record::Row>& rows) {
    std::vector<std::string> out;
    for (const record::Row& row : rows)
        if (row.mark && !row.mark->why.empty())
            out.push_back(
                fmt::format("{} ({}): {}", row.entry.student, row.entry.assignment, row.mark->why));
    return out;
}

Error others_have_changed(std::vector<std::string> students,
                          const std::vector<std::string_view>& what) {
    return {.kind = ErrorKind::usage,
            .message = fmt::format("not as it was when the others were graded: {}; of {}",
                                   fmt::join(what, ", "), some_of(std::move(students))),
            .key = "--only",
            .remedy =
                "repeat the options of that batch; or name these with --only, too, or grade "
                "with --resume instead of --only"};
}

std::vector<std::string> late_by_name(const BatchPlan& plan,
                                      const std::vector<record::Entry>& entries) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < plan.items.size(); ++i)
        if (plan.items[i].is_late && !entries[i].handed_in.at)
            out.push_back(fmt::format("{} ({}): {}", plan.items[i].student,
                                      plan.items[i].assignment->id,
                                      plan.items[i].source.filename().string()));
    return out;
}

std::vector<std::string> names_of_nobody(const std::vector<record::Entry>& entries,
                                         const record::Roster* roster, const ClassTables& tables) {
    std::vector<std::string> known;
    for (const record::Entry& entry : entries) known.push_back(entry.student);
    if (roster != nullptr)
        for (const record::Student& student : roster->students())
            known.push_back(safe_name(student.id));
    std::vector<std::string> out;
    for (const auto& [file, students] : students_of(tables)) {
        std::vector<std::string> strangers;
        for (const std::string& one : students)
            if (std::ranges::find(known, one) == known.end()) strangers.push_back(one);
        if (!strangers.empty())
            out.push_back(fmt::format("{}: nobody of this class has the id {}", file,
                                      some_of(std::move(strangers))));
    }
    return out;
}

std::string about_the_roster(const BatchPlan& plan) {
    std::vector<std::string> missing;
    for (const Missing& one : plan.missing)
        missing.push_back(fmt::format("{} ({})", one.student, one.assignment->id));
    return listed("Graded, but nobody's in the roster, so in no file for Canvas or Moodle:",
                  plan.unlisted) +
           listed("In the roster, with nothing handed in:", missing);
}

std::string about_names(const BatchPlan& plan) {
    return listed("Graded as different students, because their names differ:", plan.alike) +
           listed("In Gradescope's submission_metadata.yml, and not there:", plan.absent);
}

std::string harness_message(const Report& report) {
    for (const TaskReport& task : report.tasks)
        for (const CaseOutcome& outcome : task.outcome.cases)
            if (outcome.verdict == Verdict::harness_error)
                return fmt::format("{}: {}", task.name, outcome.message);
    return "a part of it could not be judged";
}

std::string bars(const record::Tenths& tenths, std::size_t graded) {
    constexpr std::size_t widest = 40;
    std::string text;
    for (std::size_t t = 0; graded > 0 && t < tenths.size(); ++t)
        text +=
            fmt::format("  {:>3} to {:>3} %  {:>4}  {}\n", 10 * t, 10 * (t + 1), tenths[t],
                        std::string(widest * static_cast<std::size_t>(tenths[t]) / graded, '#'));
    return text;
}

}  // namespace cugrade::cli
