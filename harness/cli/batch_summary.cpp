#include "cli/batch_summary.hpp"

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/batch_lists.hpp"
#include "cli/batch_tally.hpp"
#include "cli/class_files.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/terminal.hpp"
#include "core/printable.hpp"
#include "record/tables.hpp"

namespace cugrade::cli {
namespace {

std::string files_of(const BatchSetup& setup, const BatchResults& results,
                     const std::vector<record::Row>& all) {
    std::string text = "\n" + files_of_class(setup.out, results.chosen_names() != nullptr);
    text += record::files_for_lms(setup.out, all, setup.roster.has_value());
    if (setup.options.secret.empty()) text += fmt::format("\nWARNING: {}\n", no_secret);
    return text;
}

/// Of assignments for which there is a file.
std::vector<std::string> not_for_moodle(const std::vector<record::Row>& all) {
    const std::set<std::string> of_moodle = record::assignments_of_moodle(all);
    std::vector<std::string> out;
    for (const record::Row& row : all)
        if (row.entry.listed && row.entry.participant.empty() && row.mark &&
            of_moodle.contains(row.entry.assignment))
            out.push_back(fmt::format(
                "{} ({}): {}", printable(row.entry.student), row.entry.assignment,
                row.entry.is_missing ? "nothing is handed in"
                                     : "Moodle has not named the hand-in after the student"));
    return out;
}

std::string lists_of(const BatchSetup& setup, const BatchRound& round, const BatchTally& tally,
                     const std::vector<record::Row>& all) {
    const BatchResults& results = round.results();
    const BatchPlan& plan = results.plan();
    std::string text;
    text +=
        listed("For a person to decide; what is named earns nothing until then:", tally.to_decide);
    text += listed("Not graded, and nothing is charged to these students:", tally.ungraded);
    text += listed("Graded anew, because the record cannot be trusted:", results.distrusted());
    text += listed("Written again from the record:", round.restored());
    text += first_of("Passed over, because they are no submissions:", plan.passed_over);
    text += listed(
        "Marks that are not the newest hand-in's points, or would not be without an extension:",
        adjusted(all));
    text += listed("Late by Canvas, and nothing is taken off: --submitted tells no time of them:",
                   late_by_name(plan, results.entries()));
    text += listed("Earlier attempts that do not count:", results.attempts().lost(all));
    text += listed("Handed in before, and not any more; reports and pages are removed:",
                   round.departed());
    if (setup.roster) text += about_the_roster(plan);
    text += listed("Marks that are in no file for Moodle:", not_for_moodle(all));
    text += about_names(plan);
    text += listed("Not graded, as assignments:", plan.left_out);
    return text;
}

std::string left_by(const WatchEnd& watch) {
    std::string text;
    if (watch.unfinished > 0)
        text += fmt::format("\n{} newer hand-ins wait to be graded\n", watch.unfinished);
    if (watch.too_late > 0)
        text +=
            fmt::format("\n{} hand-ins landed after --until, and are not graded\n", watch.too_late);
    return text;
}

}  // namespace

int summarise(const BatchSetup& setup, const BatchRound& round, const std::vector<record::Row>& all,
              const std::optional<WatchEnd>& watch) {
    const BatchResults& results = round.results();
    const std::size_t to_do = results.to_do(), items = results.items().size();
    const BatchTally tally = tally_of(results.items(), results.graded());
    const bool complete = tally.graded == to_do && (!watch || watch->unfinished == 0);
    std::string text = as_text(tally, to_do) + files_of(setup, results, all);
    if (watch)
        text += left_by(*watch);
    else if (to_do < items)
        text += fmt::format("\n{} others are not graded yet, and were not asked for (--only)\n",
                            items - to_do);
    text += lists_of(setup, round, tally, all);
    if (!complete)
        text += fmt::format("\n{}The same command {} the rest.\n",
                            interrupted() && !watch ? "Interrupted. " : "",
                            watch ? "goes on with" : "with --resume grades");
    print(text);
    if (complete)
        return results.plan().broken     ? exit_usage
               : tally.to_decide.empty() ? exit_graded
                                         : exit_person;
    bool of_the_course = !watch || watch->unfinished == 0;
    for (std::size_t i = 0; i < items; ++i)
        if (results.is_to_grade(i)) of_the_course &= results.graded()[i].of_the_course;
    return of_the_course ? exit_usage : exit_harness;
}

}  // namespace cugrade::cli
