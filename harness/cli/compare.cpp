// Whose marks differ between two folders of a class, and why.
#include <algorithm>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/terminal.hpp"
#include "core/printable.hpp"
#include "record/changes.hpp"
#include "record/record.hpp"

namespace cugrade::cli {
namespace {

struct CompareArguments {
    std::string before;
    std::string after;
};

record::Class read(const std::string& folder, const seal::Key& key) {
    return value_of(record::read_class(value_of(record::Record::existing(folder)), key));
}

int run(const CompareArguments& arguments) {
    const seal::Key key = value_of(seal::existing_key());
    const auto before = read(arguments.before, key), after = read(arguments.after, key);
    const auto changed = record::changes(before, after);
    std::string text;
    if (record::is_from_before(after, before))
        text = fmt::format(
            "`{}` was made before `{}` got its newest grading or decision: what came since reads "
            "as if it were taken back\n\n",
            printable(arguments.after), printable(arguments.before));
    for (const record::Change& change : changed) text += record::text_of(change) + "\n";
    std::set<record::Who> marked;
    for (const auto& rows : {before.rows(), after.rows()})
        for (const record::Row& row : rows)
            if (row.mark) marked.insert({row.entry.assignment, row.entry.student});
    const auto same = static_cast<std::size_t>(std::ranges::count_if(
        changed, [](const record::Change& one) { return one.before == one.after; }));
    print(text + fmt::format("{}{} of {} marks differ{}\n", text.empty() ? "" : "\n",
                             changed.size() - same, marked.size(),
                             same == 0 ? ""
                                       : fmt::format("; {} stay{}, of other points", same,
                                                     same == 1 ? "s" : "")));
    return exit_graded;
}

}  // namespace

void add_compare(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "compare", "Tell whose marks differ between two graded classes, and why");
    const auto arguments = std::make_shared<CompareArguments>();
    command->add_option("before", arguments->before, "What `cugrade batch --out` has written")
        ->required()
        ->type_name(takes::folder);
    command->add_option("after", arguments->after, "The same, later or under another policy")
        ->required()
        ->type_name(takes::folder);
    command->footer("Example:\n  cugrade compare graded rescored");
    command->callback([arguments, &exit_code] { exit_code = run(*arguments); });
}

}  // namespace cugrade::cli
