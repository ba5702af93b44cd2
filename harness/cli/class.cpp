// What a graded class has in common, from its record: the same as on its page.
#include <filesystem>
#include <memory>

#include "cli/class_tables.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/terminal.hpp"
#include "config/load.hpp"
#include "core/home.hpp"
#include "record/class_page.hpp"
#include "record/class_table.hpp"
#include "record/rows.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

struct ClassArguments {
    std::string folder;
    std::string policy;
    std::string colour = "auto";
};

int run(const ClassArguments& arguments) {
    const record::Record record = value_of(record::Record::existing(arguments.folder));
    const auto graded = value_of(record::read_class(record, value_of(seal::existing_key())));
    const Home home = value_of(Home::find());
    std::vector<LeftOut> left_out;
    const auto assignments =
        value_of(config::load_assignments(home.share / "assignments", &left_out));
    const GradingPolicy policy = value_of(config::load_policy(
        arguments.policy.empty() ? home.share / "grading.yaml" : fs::path(arguments.policy),
        assignments, left_out));
    const auto names = read_chosen_names(policy, graded.entries);
    print(record::class_table({.rows = graded.rows(),
                               .policy = &policy,
                               .distrusted = {},
                               .chosen_names = names ? &*names : nullptr},
                              value_of(stdout_style(arguments.colour))));
    return exit_graded;
}

}  // namespace

void add_class(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "class", "Show what a graded class has in common: points, errors, speed");
    const auto arguments = std::make_shared<ClassArguments>();
    command->add_option("folder", arguments->folder, "The folder that `cugrade batch --out` wrote")
        ->required();
    command->add_option("--policy", arguments->policy,
                        "The grading.yaml that the class was graded by, for its tiers");
    command->add_option("--colour,--color", arguments->colour, "auto, always or never")
        ->capture_default_str();
    command->footer(
        "Examples:\n"
        "  cugrade class graded\n"
        "  cugrade class graded --policy course/grading.yaml");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli
