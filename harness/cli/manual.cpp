// The manual: a page per command, from the same tables as --help.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/choices.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/terminal.hpp"
#include "core/files.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

struct ManualArguments {
    std::vector<std::string> command;
    std::string to;
};

/// The text as roff shows it unchanged: each minus can be copied into a shell, and a line that
/// begins with a dot or a quote is no request.
std::string roff(std::string_view text) {
    std::string out;
    bool at_line_start = true;
    for (const char c : text) {
        if (at_line_start && (c == '.' || c == '\'')) out += "\\&";
        at_line_start = c == '\n';
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    return out;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", roff(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", roff(text)); }

std::string option_in_synopsis(const OptionRow& argument) {
    const std::string name = italic(argument.names.front()) + (argument.may_repeat ? " ..." : "");
    return argument.is_required ? name : fmt::format("[{}]", name);
}

/// What --help shows behind the name of an option, in words.
std::string facts_of_option(const OptionRow& row) {
    std::string out;
    if (row.is_required) out += " Required.";
    if (!row.words.empty()) out += fmt::format(" One of {}.", fmt::join(row.words, ", "));
    if (!row.limits.empty()) out += fmt::format(" Value: {}.", row.limits);
    if (!row.initially.empty()) out += fmt::format(" Default: {}.", row.initially);
    if (!row.variable.empty()) out += fmt::format(" Environment: {}.", row.variable);
    if (!row.excludes.empty()) out += fmt::format(" Not with {}.", fmt::join(row.excludes, ", "));
    return roff(out);
}

std::string option_paragraph(const OptionRow& row) {
    std::vector<std::string> names;
    for (const std::string& name : row.names) names.push_back(bold(name));
    const bool is_bare = !row.names.front().starts_with('-');
    const std::string type =
        is_bare || row.type.empty() ? "" : " " + italic(row.type) + (row.may_repeat ? " ..." : "");
    return fmt::format(".TP\n{}{}\n{}.{}\n", fmt::join(names, ", "), type, roff(row.description),
                       facts_of_option(row));
}

std::string options_section(std::string_view title, const std::vector<OptionRow>& rows) {
    std::string out;
    for (const OptionRow& row : rows) out += option_paragraph(row);
    return out.empty() ? "" : fmt::format(".SH {}\n{}", title, out);
}

std::string unfilled(std::string_view text) {
    return fmt::format(".PP\n.nf\n.RS 4\n{}.RE\n.fi\n", roff(text));
}

std::string commands_section(const CommandTable& table) {
    if (table.commands.empty()) return "";
    std::string out = ".SH COMMANDS\n";
    for (const CommandTable& command : table.commands)
        out += fmt::format(".TP\n{}(1)\n{}.\n", bold(command.joined_path("-")),
                           roff(command.description));
    return out;
}

/// Calls `act` with the table and all below it.
void for_each_command(const CommandTable& table,
                      const std::function<void(const CommandTable&)>& act) {
    act(table);
    for (const CommandTable& command : table.commands) for_each_command(command, act);
}

int write_manual(const CLI::App& program, const ManualArguments& arguments) {
    const CommandTable all = command_table(program);
    if (!arguments.to.empty()) {
        const fs::path folder = fs::path(arguments.to) / "man1";
        std::error_code error;  // if this fails, the first page cannot be written, and says why
        fs::create_directories(folder, error);
        for_each_command(all, [&](const CommandTable& table) {
            check(write_atomically(folder / (table.joined_path("-") + ".1"),
                                   manual_page(table, CUGRADE_VERSION)));
        });
        return exit_graded;
    }
    const CommandTable* table = &all;
    for (const std::string& name : arguments.command) {
        std::vector<std::string> names;
        for (const CommandTable& command : table->commands) names.push_back(command.path.back());
        const auto found = std::ranges::find(names, name);
        if (found == names.end()) throw Failure(unknown("command", name, names));
        table = &table->commands[static_cast<std::size_t>(found - names.begin())];
    }
    print(manual_page(*table, CUGRADE_VERSION));
    return exit_graded;
}

}  // namespace

std::string manual_page(const CommandTable& table, std::string_view version) {
    const bool is_program = table.path.size() == 1;
    std::string title = table.joined_path("-");
    std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
    std::string description = table.description;
    if (description.ends_with('.')) description.pop_back();
    std::string synopsis = bold(table.joined_path(" ")) + " [" + italic("options") + "]";
    if (!table.commands.empty()) synopsis += " " + italic("command");
    for (const OptionRow& argument : table.arguments)
        synopsis += " " + option_in_synopsis(argument);

    // Left-aligned and without hyphens: a name of an option is never broken or stretched.
    std::string out = fmt::format(
        ".TH {} 1 \"\" \"cugrade {}\" \"cugrade\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n.SH "
        "SYNOPSIS\n{}\n",
        roff(title), roff(version), roff(table.joined_path("-")), roff(description), synopsis);
    out += commands_section(table);
    out += options_section("ARGUMENTS", table.arguments);
    out += options_section("OPTIONS", table.options);
    if (!table.notes.empty()) out += ".SH EXIT STATUS\n" + roff(table.notes);
    if (!table.examples.empty()) out += ".SH EXAMPLES\n" + unfilled(table.examples);
    out += ".SH SEE ALSO\n";
    if (is_program)
        out += "The pages in " + italic("share/cugrade/docs") + " of the installation.\n";
    else
        out += bold("cugrade") + "(1)\n";
    return out;
}

void add_manual(CLI::App& app, int& exit_code) {
    CLI::App* command =
        app.add_subcommand("manual", "Print the manual's page of a command, in roff");
    const auto arguments = std::make_shared<ManualArguments>();
    command->add_option("command", arguments->command, "The command; default: cugrade itself");
    command->add_option("--to", arguments->to, "Write all pages to man1 in this folder instead")
        ->type_name(takes::folder)
        ->excludes(command->get_option("command"));
    command->footer(
        "Examples:\n"
        "  cugrade manual batch | man -l -\n"
        "  cugrade manual --to ~/.local/share/man");
    command->callback([arguments, &app, &exit_code] { exit_code = write_manual(app, *arguments); });
}

}  // namespace cugrade::cli
