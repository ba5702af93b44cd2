#include "cli/command_table.hpp"

#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cugrade::cli {
namespace {

std::vector<std::string> split_at_commas(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, ',');) out.push_back(word);
    return out;
}

/// Takes "INT:{75,90,120}" or "INT:INT in [1 - 1024]" apart: CLI11 joins the type and what the
/// validators say of themselves.
void read_type(const std::string& shown, OptionRow& row) {
    const std::size_t colon = shown.find(':');
    row.type = shown.substr(0, colon);
    if (colon == std::string::npos) return;
    const std::string rest = shown.substr(colon + 1);
    if (rest.starts_with('{') && rest.ends_with('}'))
        row.words = split_at_commas(rest.substr(1, rest.size() - 2));
    else
        row.limits = rest;
}

OptionRow option_row(const CLI::Option& option) {
    OptionRow row;
    row.names = option.get_positional() ? std::vector{option.get_name(true)}
                                        : split_at_commas(option.get_name(false, true));
    row.description = option.get_description();
    for (const CLI::Option* other : option.get_excludes())
        row.excludes.push_back(other->get_name());
    if (option.get_type_size() == 0) return row;  // a flag
    read_type(option.get_type_name(), row);
    row.initially = option.get_default_str();
    row.variable = option.get_envname();
    row.may_repeat = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll ||
                     option.get_expected_max() > 1;
    row.is_required = option.get_required();
    return row;
}

/// A footer is notes, then examples, each of which may be missing.
void read_footer(const std::string& footer, CommandTable& table) {
    std::istringstream in(footer);
    bool in_examples = false;
    for (std::string line; std::getline(in, line);) {
        if (line == "Examples:" || line == "Example:")
            in_examples = true;
        else if (in_examples)
            table.examples +=
                line.substr(std::min(line.find_first_not_of(' '), line.size())) + "\n";
        else
            table.notes += line + "\n";
    }
}

CommandTable table_below(const CLI::App& app, std::vector<std::string> path) {
    CommandTable table;
    table.path = std::move(path);
    table.description = app.get_description();
    read_footer(app.get_footer(), table);
    for (const CLI::Option* option : app.get_options())
        (option->get_positional() ? table.arguments : table.options).push_back(option_row(*option));
    for (const CLI::App* command : app.get_subcommands({})) {
        if (command->get_group().empty()) continue;  // hidden
        std::vector<std::string> longer = table.path;
        longer.push_back(command->get_name());
        table.commands.push_back(table_below(*command, std::move(longer)));
    }
    return table;
}

}  // namespace

CLI::Validator one_of(const std::vector<std::string>& words) {
    return {[](std::string&) { return std::string(); },
            fmt::format("{{{}}}", fmt::join(words, ","))};
}

std::string CommandTable::joined_path(std::string_view separator) const {
    return fmt::format("{}", fmt::join(path, separator));
}

CommandTable command_table(const CLI::App& program) { return table_below(program, {"cugrade"}); }

}  // namespace cugrade::cli
