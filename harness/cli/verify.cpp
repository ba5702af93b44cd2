#include <memory>
#include <vector>

#include <fmt/format.h>

#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/terminal.hpp"
#include "core/files.hpp"
#include "core/printable.hpp"
#include "report/seal.hpp"

namespace cugrade::cli {
namespace {

struct VerifyArguments {
    std::vector<std::string> reports;
    std::string public_key;
};

report::Trusted trusted_by(const VerifyArguments& arguments) {
    if (arguments.public_key.empty())
        return {.key = value_of(seal::existing_key()), .course = std::nullopt};
    return {.key = std::nullopt, .course = value_of(seal::PublicKey::read(arguments.public_key))};
}

/// What was changed in this report; empty: nothing.
std::vector<std::string> changes_of(const std::string& file, const report::Trusted& trusted) {
    const auto text = read_file(file);
    Error error;
    if (!text) {
        error = text.error();
        error.kind = ErrorKind::usage;
        error.remedy = "give reports in JSON or YAML";
    } else {
        auto changes = report::what_was_changed(*text, trusted);
        if (changes) return *std::move(changes);
        error = changes.error();
        error.file = file;
    }
    throw Failure(error);
}

int run(const VerifyArguments& arguments) {
    const report::Trusted trusted = trusted_by(arguments);
    bool intact = true;
    for (const std::string& file : arguments.reports) {
        const auto changes = changes_of(file, trusted);
        if (changes.empty()) print(fmt::format("{}: intact\n", printable(file)));
        for (const std::string& change : changes)
            print(fmt::format("{}: NOT INTACT: {}\n", printable(file), printable(change)));
        intact = intact && changes.empty();
    }
    return intact ? exit_graded : exit_not_the_same;
}

}  // namespace

void add_verify(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand("verify", "Tell whether reports were changed");
    const auto arguments = std::make_shared<VerifyArguments>();
    command->add_option("reports", arguments->reports, "Reports in JSON or YAML")
        ->required()
        ->type_name(takes::file);
    command
        ->add_option("--public-key", arguments->public_key,
                     "Verify the course's signature with the public key in this file; default: "
                     "verify with the key of the grader, as the user who graded")
        ->type_name(takes::file);
    command->footer(
        "Exit codes: 0 all are intact; 1 one of them is no report, or there is no key;\n"
        "3 one of them was changed.\n"
        "Examples:\n"
        "  cugrade verify graded/reports/reduction/*.json\n"
        "  cugrade verify --public-key course-key.pub ada.json");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli
