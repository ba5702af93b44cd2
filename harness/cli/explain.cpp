#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "cli/choices.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/terminal.hpp"
#include "core/cause.hpp"
#include "core/files.hpp"
#include "core/home.hpp"
#include "report/explanation.hpp"

namespace cugrade::cli {
namespace {

struct ExplainArguments {
    std::string id;
    std::string colour = "auto";
};

std::vector<std::string> ids_of_causes() {
    std::vector<std::string> out;
    for (const CauseKind& kind : causes()) out.emplace_back(kind.id);
    return out;
}

std::string list_of_causes() {
    std::string out;
    for (const CauseKind& kind : causes()) out += fmt::format("{:<28} {}\n", kind.id, kind.title);
    return out;
}

/// Those that have the word in them, for who remembers half of a name; else the closest one.
Error no_such_cause(const std::string& id) {
    std::vector<std::string> having;
    for (const CauseKind& kind : causes())
        if (id.size() >= 3 &&
            (kind.id.find(id) != kind.id.npos || kind.title.find(id) != kind.title.npos))
            having.push_back(fmt::format("`{}`", kind.id));
    Error error = unknown("cause", id, ids_of_causes());
    if (!having.empty())
        error.remedy = fmt::format("did you mean {}?", fmt::join(having, " or "));
    else if (!error.remedy.starts_with("did you mean"))
        error.remedy = "`cugrade explain` lists them";
    return error;
}

int run(const ExplainArguments& arguments) {
    const report::Style style = value_of(stdout_style(arguments.colour));
    if (arguments.id.empty()) {
        print(list_of_causes());
        return exit_graded;
    }
    const CauseKind* kind = cause_kind(arguments.id);
    if (kind == nullptr) throw Failure(no_such_cause(arguments.id));
    const Home home = value_of(Home::find());
    const auto file = home.share / "docs/causes" / fmt::format("{}.md", kind->id);
    const auto page = read_file(file);
    if (!page)
        throw Failure(Error{.message = fmt::format("the page about `{}` is not here", kind->id),
                            .file = file.string(),
                            .remedy = "install cugrade anew, with its folder share/cugrade/docs"});
    print(report::explanation(*page, style));
    return exit_graded;
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "explain", "Explain a cause that a report names, or list all that there are");
    const auto arguments = std::make_shared<ExplainArguments>();
    command->add_option("cause", arguments->id, "Its id, as a report names it")
        ->check(one_of(ids_of_causes()));
    command->add_option("--colour,--color", arguments->colour, "On a terminal, always or never")
        ->check(one_of({"auto", "always", "never"}))
        ->capture_default_str();
    command->footer(
        "Examples:\n"
        "  cugrade explain\n"
        "  cugrade explain missing_barrier");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli
