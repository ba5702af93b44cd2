// Completion of command lines for shells, from the same tables as --help.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/choices.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/terminal.hpp"

namespace cugrade::cli {
namespace {

/// What prints the assignments, the tasks, and both with a slash, from the table of `cugrade list`:
/// an assignment's line begins in the first column, the lines of its tasks do not.
constexpr std::string_view list_assignments =
    "cugrade list 2>/dev/null | awk 'NR > 1 && /^[^ ]/ { print $1 }'";
constexpr std::string_view list_tasks =
    "cugrade list 2>/dev/null | awk 'NR > 1 && /^ / { print $1 }'";
constexpr std::string_view list_both =
    "cugrade list 2>/dev/null | "
    "awk 'NR > 1 { if (/^ /) print a \"/\" $1; else a = $1 }'";

/// The shell's command that prints the words which an option of this type takes; empty: it takes
/// files or anything.
std::string_view command_of_words(std::string_view type) {
    return type == takes::assignment            ? list_assignments
           : type == takes::task                ? list_tasks
           : type == takes::assignment_and_task ? list_both
                                                : std::string_view();
}

/// In single quotes of a shell.
std::string in_quotes(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::string escaped(std::string_view text, std::string_view special) {
    std::string out;
    for (const char c : text) {
        if (special.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

std::string bash_offer(const OptionRow& row) {
    if (!row.words.empty()) return fmt::format("_cugrade_words {}", fmt::join(row.words, " "));
    if (row.type == takes::folder) return "_cugrade_files -d";
    if (row.type == takes::file || row.type == takes::path) return "_cugrade_files -f";
    const std::string_view command = command_of_words(row.type);
    return command.empty() ? ":" : fmt::format("_cugrade_words $({})", command);
}

/// The cases of one command and of those below it.
void add_bash_cases(const CommandTable& table, std::string& values, std::string& names) {
    const std::string path = table.joined_path("/");
    std::vector<std::string> options;
    for (const OptionRow& row : table.options) {
        options.insert(options.end(), row.names.begin(), row.names.end());
        if (row.type.empty()) continue;
        std::vector<std::string> patterns;
        for (const std::string& name : row.names) patterns.push_back(path + ":" + name);
        values +=
            fmt::format("        {}) {}; return ;;\n", fmt::join(patterns, " | "), bash_offer(row));
    }
    names += fmt::format("        {}:-*) _cugrade_words {} ;;\n", path, fmt::join(options, " "));
    std::vector<std::string> commands;
    for (const CommandTable& command : table.commands) commands.push_back(command.path.back());
    if (!commands.empty())
        names +=
            fmt::format("        {}:*) _cugrade_words {} ;;\n", path, fmt::join(commands, " "));
    else if (!table.arguments.empty())
        names += fmt::format("        {}:*) {} ;;\n", path, bash_offer(table.arguments.front()));
    for (const CommandTable& command : table.commands) add_bash_cases(command, values, names);
}

/// The paths of all commands below this one, joined by slashes.
void add_paths(const CommandTable& table, std::vector<std::string>& paths) {
    for (const CommandTable& command : table.commands) {
        paths.push_back(command.joined_path("/"));
        add_paths(command, paths);
    }
}

std::string zsh_text(std::string_view text) { return in_quotes(escaped(text, "[]:\\")); }

/// ":FILE:_files", what _arguments reads.
std::string zsh_action(const OptionRow& row) {
    std::string action = " ";  // shows the message, offers nothing
    if (!row.words.empty())
        action = fmt::format("({})", fmt::join(row.words, " "));
    else if (row.type == takes::folder)
        action = "_files -/";
    else if (row.type == takes::file || row.type == takes::path)
        action = "_files";
    else if (row.type == takes::assignment)
        action = "_cugrade_assignments";
    else if (row.type == takes::task)
        action = "_cugrade_tasks";
    else if (row.type == takes::assignment_and_task)
        action = "_cugrade_assignments_and_tasks";
    return in_quotes(fmt::format(":{}:{}", row.type, action));
}

std::string zsh_option(const OptionRow& row) {
    std::string out;
    const std::string excluded =
        row.may_repeat ? "'*'" : in_quotes(fmt::format("({})", fmt::join(row.names, " ")));
    for (const std::string& name : row.names) {
        const std::string_view joint = row.type.empty() ? "" : name.starts_with("--") ? "=" : "+";
        out += fmt::format(" \\\n        {}'{}{}['{}']'", excluded, name, joint,
                           zsh_text(row.description));
        if (!row.type.empty()) out += zsh_action(row);
    }
    return out;
}

void add_zsh_functions(const CommandTable& table, std::string& out) {
    for (const CommandTable& command : table.commands) add_zsh_functions(command, out);
    std::string options;
    for (const OptionRow& row : table.options) options += zsh_option(row);
    const std::string function = "_" + table.joined_path("_");
    if (table.commands.empty()) {
        for (const OptionRow& row : table.arguments)
            options +=
                fmt::format(" \\\n        {}{}", row.may_repeat ? "'*'" : "", zsh_action(row));
        out += fmt::format("{}() {{\n    _arguments -s{}\n}}\n", function, options);
        return;
    }
    std::string rows;
    for (const CommandTable& command : table.commands)
        rows += fmt::format("        {}\n", in_quotes(command.path.back() + ":" +
                                                      escaped(command.description, ":\\")));
    out += fmt::format(
        "{0}() {{\n    local context state state_descr line\n    typeset -A opt_args\n"
        "    local -a commands=(\n{1}    )\n"
        "    _arguments -C{2} \\\n        '1: :->command' '*:: :->arguments'\n"
        "    case $state in\n"
        "        command) _describe command commands ;;\n"
        "        arguments) (( $+functions[{0}_$words[1]] )) && {0}_$words[1] ;;\n"
        "    esac\n}}\n",
        function, rows, options);
}

std::string fish_text(std::string_view text) { return "'" + escaped(text, "\\'") + "'"; }

void add_fish_lines(const CommandTable& table, std::string& out) {
    const std::string when =
        fmt::format("complete -c cugrade -n '__cugrade_at {}'", table.joined_path("/"));
    const auto offer = [](const OptionRow& row) -> std::string {
        if (!row.words.empty())
            return " -x -a " + fish_text(fmt::format("{}", fmt::join(row.words, " ")));
        if (row.type == takes::folder) return " -x -a '(__fish_complete_directories)'";
        if (row.type == takes::file || row.type == takes::path) return " -r -F";
        const std::string_view command = command_of_words(row.type);
        return command.empty() ? " -x" : " -x -a " + fish_text(fmt::format("({})", command));
    };
    for (const OptionRow& row : table.options) {
        out += when;
        for (const std::string& name : row.names)
            out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        out += (row.type.empty() ? "" : offer(row)) + " -d " + fish_text(row.description) + "\n";
    }
    for (const CommandTable& command : table.commands)
        out += fmt::format("{} -f -a {} -d {}\n", when, command.path.back(),
                           fish_text(command.description));
    for (const OptionRow& row : table.arguments) out += when + offer(row) + "\n";
    for (const CommandTable& command : table.commands) add_fish_lines(command, out);
}

}  // namespace

std::string bash_completion(const CommandTable& program) {
    std::vector<std::string> paths;
    add_paths(program, paths);
    std::string values, names;
    add_bash_cases(program, values, names);
    return fmt::format(R"(# Completion of cugrade for bash, as `cugrade completion bash` prints it.
_cugrade_words() {{ mapfile -t COMPREPLY < <(compgen -W "$*" -- "$cur"); }}
_cugrade_files() {{
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
}}
_cugrade() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} at=cugrade i
    COMPREPLY=()
    # bash makes three words of --option=value.
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    for ((i = 1; i < COMP_CWORD; ++i)); do
        if [[ ${{COMP_WORDS[i]}} == -- ]]; then
            _cugrade_files -f
            return
        fi
        case $at/${{COMP_WORDS[i]}} in
        {}) at=$at/${{COMP_WORDS[i]}} ;;
        esac
    done
    case $at:$prev in
{}    esac
    case $at:$cur in
{}    esac
}}
complete -F _cugrade cugrade
)",
                       fmt::join(paths, " | "), values, names);
}

std::string zsh_completion(const CommandTable& program) {
    std::string out =
        "#compdef cugrade\n# Completion of cugrade for zsh, as `cugrade completion zsh` prints "
        "it.\n";
    for (const auto& [name, command] : {std::pair{"assignments", list_assignments},
                                        {"tasks", list_tasks},
                                        {"assignments_and_tasks", list_both}})
        out += fmt::format(
            "_cugrade_{}() {{\n    local -a words=(${{(f)\"$({})\"}})\n    compadd -a words\n}}\n",
            name, command);
    add_zsh_functions(program, out);
    return out + "_cugrade \"$@\"\n";
}

std::string fish_completion(const CommandTable& program) {
    std::vector<std::string> paths;
    add_paths(program, paths);
    std::string out = fmt::format(
        R"(# Completion of cugrade for fish, as `cugrade completion fish` prints it.
function __cugrade_at --description 'Whether the command on the line is this one'
    set -l at cugrade
    for word in (commandline -opc)[2..-1]
        if contains -- $at/$word {}
            set at $at/$word
        end
    end
    test $at = $argv[1]
end
complete -c cugrade -f
)",
        fmt::join(paths, " "));
    add_fish_lines(program, out);
    return out;
}

void add_completion(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand("completion", "Print the completion script of a shell");
    const std::vector<std::string> shells(completion_shells.begin(), completion_shells.end());
    const auto shell = std::make_shared<std::string>();
    command->add_option("shell", *shell, "The shell")->required()->check(one_of(shells));
    command->footer(
        "Examples:\n"
        "  . <(cugrade completion bash)\n"
        "  cugrade completion fish > ~/.config/fish/completions/cugrade.fish");
    command->callback([shell, shells, &app, &exit_code] {
        const CommandTable program = command_table(app);
        if (*shell == "bash")
            print(bash_completion(program));
        else if (*shell == "zsh")
            print(zsh_completion(program));
        else if (*shell == "fish")
            print(fish_completion(program));
        else
            throw Failure(unknown("shell", *shell, shells));
        exit_code = exit_graded;
    });
}

}  // namespace cugrade::cli
