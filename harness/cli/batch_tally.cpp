#include "cli/batch_tally.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cli/batch_lists.hpp"
#include "core/printable.hpp"
#include "report/format.hpp"

namespace cugrade::cli {

void LineWidths::widen(const BatchItem& item) {
    constexpr std::size_t widest = 40;  // one long name does not push all lines apart
    student = std::max(student, std::min(printable(item.student).size(), widest));
    assignment = std::max(assignment, item.assignment->id.size());
}

std::string line_of(const BatchItem& item, const cluster::Graded& graded,
                    const LineWidths& widths) {
    const std::string who = fmt::format("{:<{}}  {:<{}}", printable(item.student), widths.student,
                                        item.assignment->id, widths.assignment);
    if (!graded.report)
        return fmt::format("{}  not graded: {}\n", who,
                           printable(graded.problem.substr(0, graded.problem.find('\n'))));
    const Score& score = graded.report->score;
    return fmt::format("{}  {:>7}  {:<16}  {:>5.1f} s\n", who,
                       report::points_text(score.earned) + "/" + report::points_text(score.judged),
                       name(graded.report->verdict), graded.report->seconds);
}

BatchTally tally_of(const std::vector<BatchItem>& items,
                    const std::vector<cluster::Graded>& results) {
    BatchTally tally;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::string who = fmt::format("{} ({})", items[i].student, items[i].assignment->id);
        if (!results[i].report) {
            if (!results[i].problem.empty())
                tally.ungraded.push_back(fmt::format("{}: {}", who, results[i].problem));
            continue;
        }
        const Report& report = *results[i].report;
        const double share = record::share_of(report.score);
        if (const std::string why = record::for_a_person(report); !why.empty())
            tally.to_decide.push_back(fmt::format("{}: {}", who, why));
        ++tally.graded;
        ++tally.verdicts[report.verdict];
        ++tally.tenths[record::tenth_of(share)];
        tally.shares += share;
    }
    return tally;
}

std::string as_text(const BatchTally& tally, std::size_t to_do) {
    std::string text = fmt::format("\n{} of {} graded", tally.graded, to_do);
    if (tally.graded > 0)
        text += fmt::format(", {} % of the judged points on average",
                            record::percent_text(tally.shares / static_cast<double>(tally.graded)));
    text += "\n\n" + bars(tally.tenths, tally.graded) + "\n";
    for (const auto& [verdict, count] : tally.verdicts)
        text += fmt::format("  {:<20} {:>4}\n", name(verdict), count);
    return text;
}

}  // namespace cugrade::cli
