#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/choices.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/terminal.hpp"
#include "config/load.hpp"
#include "core/home.hpp"
#include "core/printable.hpp"
#include "core/technique.hpp"
#include "report/format.hpp"

namespace cugrade::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ListArguments {
    std::string assignment;
    std::string format = "table";
    std::string policy;
};

std::string_view visibility_of(const CaseSpec& spec) {
    return spec.visibility == Visibility::hidden ? "hidden" : "public";
}

std::string parameters_of(const CaseSpec& spec) {
    std::string out;
    for (const auto& [name, value] : spec.params)
        out += fmt::format("{}{}={}", out.empty() ? "" : " ", name, value);
    return out;
}

std::string data_of(const CaseSpec& spec) {
    std::string out;
    for (const auto& [argument, data] : spec.data)
        out += fmt::format("{}{}={}", out.empty() ? "" : " ", argument,
                           data.generator == "file" ? data.file : data.generator);
    return out;
}

std::string flags_of(const CaseSpec& spec) {
    return spec.timed ? "timed on a GPU" : spec.needs_gpu ? "needs a GPU" : "";
}

/// The rows of ungraded assignments, below the graded ones.
std::string left_out_rows(const std::vector<LeftOut>& left_out) {
    std::string out;
    for (const LeftOut& one : left_out)
        if (one.is_broken())
            out += fmt::format("{:<14} broken: {}\n", one.id, printable(one.why.text()));
        else
            out += fmt::format("{:<14} not graded: the policy does not name it\n", one.id);
    return out;
}

std::string table(const std::vector<AssignmentSpec>& assignments, const GradingPolicy& policy) {
    std::string out = fmt::format("{:<14} {:<18} {:>6} {:>6} {:>7}  {}\n", "assignment", "task",
                                  "cases", "hidden", "points", "what it is");
    for (const AssignmentSpec& assignment : assignments) {
        double total = 0;
        for (const TaskSpec& task : assignment.tasks)
            total += policy.assignments.at(assignment.id).tasks.at(task.name).points();
        out += fmt::format("{:<14} {:<18} {:>6} {:>6} {:>7}  {}\n", assignment.id, "", "", "",
                           report::points_text(total), assignment.title);
        for (const TaskSpec& task : assignment.tasks)
            out +=
                fmt::format("{:<14} {:<18} {:>6} {:>6} {:>7}  {}\n", "", task.name,
                            static_cast<std::size_t>(task.withheld) + task.cases.size(),
                            task.withheld + std::ranges::count(task.cases, Visibility::hidden,
                                                               &CaseSpec::visibility),
                            report::points_text(
                                policy.assignments.at(assignment.id).tasks.at(task.name).points()),
                            task.title);
        for (const std::string& task : assignment.ungraded_tasks)
            out += fmt::format("{:<14} {:<18} not graded: the policy does not name it\n", "", task);
    }
    return out;
}

std::string details(const AssignmentSpec& assignment, const GradingPolicy& policy) {
    std::string out = fmt::format("{} ({})\n", assignment.title, assignment.id);
    for (const TaskSpec& task : assignment.tasks) {
        const TaskPolicy& points = policy.assignments.at(assignment.id).tasks.at(task.name);
        out += fmt::format(
            "\n{}: {}\n  {} points: {} for right results, {} for speed, {} for technique\n"
            "  function {}\n",
            task.name, task.title, report::points_text(points.points()),
            report::points_text(points.correctness), report::points_text(points.performance),
            report::points_text(points.technique), task.function);
        for (const TechniqueLimit& limit : points.limits)
            out += fmt::format("  at most {:g} {}\n", limit.max,
                               std::ranges::find(technique_metrics, std::string_view(limit.metric),
                                                 &TechniqueMetric::name)
                                   ->meaning);
        for (const Tier& tier : points.tiers)
            out += fmt::format("  from {:g} times the baseline: {} points\n", tier.speedup,
                               report::points_text(tier.credit * points.performance));
        for (const CaseSpec& spec : task.cases)
            out += fmt::format("  case {:>3}  {:<6}  {}  {}  {}\n", spec.id, visibility_of(spec),
                               parameters_of(spec), data_of(spec), flags_of(spec));
    }
    return out;
}

Json to_json(const AssignmentSpec& assignment, const GradingPolicy& policy) {
    Json out{{"id", assignment.id}, {"title", assignment.title}, {"tasks", Json::array()}};
    for (const TaskSpec& task : assignment.tasks) {
        const TaskPolicy& points = policy.assignments.at(assignment.id).tasks.at(task.name);
        Json row{{"name", task.name},
                 {"title", task.title},
                 {"function", task.function},
                 {"points",
                  {{"correctness", points.correctness},
                   {"performance", points.performance},
                   {"technique", points.technique}}},
                 {"limits", Json::array()},
                 {"tiers", Json::array()},
                 {"cases", Json::array()}};
        for (const Tier& tier : points.tiers)
            row["tiers"].push_back({{"speedup", tier.speedup}, {"credit", tier.credit}});
        for (const TechniqueLimit& limit : points.limits)
            row["limits"].push_back({{"metric", limit.metric}, {"max", limit.max}});
        for (const CaseSpec& spec : task.cases) {
            Json data = Json::object();
            for (const auto& [argument, source] : spec.data)
                data[argument] = source.generator == "file" ? source.file : source.generator;
            row["cases"].push_back({{"id", spec.id},
                                    {"visibility", visibility_of(spec)},
                                    {"parameters", spec.params},
                                    {"data", data},
                                    {"needs_gpu", spec.needs_gpu},
                                    {"timed", spec.timed}});
        }
        out["tasks"].push_back(std::move(row));
    }
    if (!assignment.ungraded_tasks.empty()) out["ungraded_tasks"] = assignment.ungraded_tasks;
    return out;
}

int run(const ListArguments& arguments) {
    const Home home = value_of(Home::find());
    std::vector<LeftOut> left_out;
    auto assignments = value_of(config::load_assignments(home.share / "assignments", &left_out));
    const GradingPolicy policy = value_of(
        config::load_policy(arguments.policy.empty() ? home.share / "grading.yaml"
                                                     : std::filesystem::path(arguments.policy),
                            assignments, left_out));
    config::leave_out_ungraded(policy, assignments, left_out);
    const AssignmentSpec* one =
        arguments.assignment.empty()
            ? nullptr
            : value_of(find_assignment(assignments, arguments.assignment, left_out));
    if (arguments.format == "table") {
        print(one != nullptr ? details(*one, policy)
                             : table(assignments, policy) + left_out_rows(left_out));
    } else if (arguments.format == "json") {
        Json out{{"schema_version", 1}, {"assignments", Json::array()}};
        for (const AssignmentSpec& assignment : assignments)
            if (one == nullptr || one == &assignment)
                out["assignments"].push_back(to_json(assignment, policy));
        for (const LeftOut& one_out : left_out)
            if (one == nullptr)
                out["left_out"].push_back({{"id", one_out.id},
                                           {"broken", one_out.is_broken()},
                                           {"why", printable(one_out.why.text())}});
        print(out.dump(2) + "\n");
    } else {
        throw Failure(unknown("format", arguments.format, {"table", "json"}));
    }
    return exit_graded;
}

}  // namespace

void add_list(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand("list", "Show the assignments, or the cases of one");
    const auto arguments = std::make_shared<ListArguments>();
    command->add_option("assignment", arguments->assignment, "Only this one, with its cases")
        ->type_name(takes::assignment);
    command->add_option("-f,--format", arguments->format, "How to show them")
        ->check(one_of({"table", "json"}))
        ->capture_default_str();
    command->add_option("--policy", arguments->policy, "Another grading.yaml")
        ->type_name(takes::file);
    command->footer(
        "Examples:\n"
        "  cugrade list\n"
        "  cugrade list reduction --format json");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli
