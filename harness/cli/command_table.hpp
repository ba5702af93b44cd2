// The commands and their options as plain values, read from the program itself: what the manual and
// the completion of shells are made of, so that neither can differ from --help.
#pragma once

#include <CLI/CLI.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace cugrade::cli {

/// What an option takes: the word that --help shows for it. Completion offers what the word means.
namespace takes {
constexpr const char* file = "FILE";
constexpr const char* folder = "FOLDER";
constexpr const char* path = "PATH";  ///< a file or a folder
constexpr const char* assignment = "ASSIGNMENT";
constexpr const char* task = "TASK";
constexpr const char* assignment_and_task = "ASSIGNMENT/TASK";
}  // namespace takes

/// Names the words that an option takes, in --help, the manual and completion. It accepts any:
/// the command itself refuses others, and says which was meant.
[[nodiscard]] CLI::Validator one_of(const std::vector<std::string>& words);

struct OptionRow {
    std::vector<std::string> names;  ///< -a and --assignment; of a positional argument one, bare
    std::string type;                ///< one of `takes`, TEXT, INT, ...; empty: a flag
    std::vector<std::string> words;  ///< what it takes; empty: see type
    std::string limits;              ///< "INT in [1 - 1024]"
    std::string initially;           ///< its value if it is not given
    std::string variable;            ///< the environment variable that gives it, too
    std::string description;
    std::vector<std::string> excludes;
    bool may_repeat = false;
    bool is_required = false;
};

struct CommandTable {
    std::vector<std::string> path;  ///< {"cugrade", "secret", "new"}
    std::string description;
    std::string notes;     ///< the footer above the examples
    std::string examples;  ///< one per line
    std::vector<OptionRow> arguments;
    std::vector<OptionRow> options;
    std::vector<CommandTable> commands;

    [[nodiscard]] std::string joined_path(std::string_view separator) const;
};

[[nodiscard]] CommandTable command_table(const CLI::App& program);

/// The scripts of `cugrade completion`.
constexpr std::array<std::string_view, 3> completion_shells{"bash", "zsh", "fish"};
[[nodiscard]] std::string bash_completion(const CommandTable&);
[[nodiscard]] std::string zsh_completion(const CommandTable&);
[[nodiscard]] std::string fish_completion(const CommandTable&);

/// The page of one command, in roff.
[[nodiscard]] std::string manual_page(const CommandTable&, std::string_view version);

}  // namespace cugrade::cli
