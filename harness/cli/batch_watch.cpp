#include "cli/batch_watch.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/batch_round.hpp"
#include "cli/batch_setup.hpp"
#include "cli/batch_summary.hpp"
#include "cli/failure.hpp"
#include "cli/interrupt.hpp"
#include "cli/terminal.hpp"
#include "cli/watch_collector.hpp"
#include "core/clock.hpp"
#include "core/utc.hpp"

namespace cugrade::cli {
namespace {

constexpr std::string_view on_end =
    "\nthe watch ends when what is being graded is finished; once more ends it at once\n";
/// Gradings of a round, for each that runs at once. More of them waste less time at the end of a
/// round, where the last one runs alone; fewer let somebody's first hand-in pass others earlier.
/// Chosen.
constexpr std::size_t gradings_per_job = 4;

std::optional<std::int64_t> time_of(const std::string& until) {
    if (until.empty()) return std::nullopt;
    const auto time = unix_time(until);
    if (!time)
        throw Failure(Error{.kind = ErrorKind::usage,
                            .message = fmt::format("`{}` is no time", until),
                            .key = "--until",
                            .remedy = "write it with its zone: 2026-11-30T23:59:00+01:00"});
    return time;
}

class Watch {
public:
    explicit Watch(const BatchArguments& arguments)
        : until_(time_of(arguments.until)), setup_(arguments), collector_(setup_, until_) {}

    int run() {
        say_begin();
        const Interruptible here(on_end, true);
        while (!interrupted()) {
            const WatchCollector::News news = collector_.wait();
            if (news.is_over) break;
            if (news.waiting > 0 || news.is_other) grade_some(news.is_other);
        }
        return finish();
    }

private:
    void say_begin() const {
        print(fmt::format("watching {}{}\n", setup_.arguments.folder,
                          until_ ? " until " + utc_text(*until_) : std::string()));
    }

    /// Of others the files may be gone: somebody who was away for a moment is back.
    void grade_some(bool has_others) {
        WatchCollector::Work work =
            collector_.next(gradings_per_job * static_cast<std::size_t>(setup_.jobs));
        const std::size_t waiting = work.copies.size() + collector_.waiting();
        if (waiting > work.copies.size()) print(waiting_text(waiting, pace_) + "\n");
        std::vector<std::optional<std::size_t>> items;
        for (const LandedCopy& copy : work.copies) items.push_back(give(copy, work.plan));
        const auto start = Clock::now();
        BatchRound round(setup_, std::move(work.plan), has_others);
        is_first_ = false;
        std::size_t graded = 0;
        for (const auto& item : items) graded += item && round.results().is_due(*item) ? 1 : 0;
        (void)round.run();
        if (graded > 0 && !interrupted()) pace_.add(graded, seconds_since(start));
        for (std::size_t k = 0; k < items.size(); ++k)
            tell(std::move(work.copies[k]), items[k], round.results());
        for (const std::string& one : round.departed())
            print(
                fmt::format("not handed in any more, so reports and page are removed: {}\n", one));
    }

    /// Puts a copy into the plan. Returns the number of its item; nothing: the hand-in is gone.
    static std::optional<std::size_t> give(const LandedCopy& copy, BatchPlan& plan) {
        const auto item = std::ranges::find_if(plan.items, [&](const BatchItem& one) {
            return one.assignment->id == copy.who.first && one.student == copy.who.second;
        });
        if (item == plan.items.end()) return std::nullopt;
        item->is_left = false;
        item->is_archive = false;  // it is unpacked
        item->source = copy.source;
        item->problem = copy.problem;
        item->landed_at = copy.landed_at;
        return static_cast<std::size_t>(item - plan.items.begin());
    }

    void tell(LandedCopy copy, std::optional<std::size_t> item, const BatchResults& results) {
        if (!item)
            collector_.has_failed(copy);
        else if (results.graded()[*item].report)
            collector_.is_graded(copy);
        else if (results.graded()[*item].problem.empty())
            collector_.put_back(std::move(copy));
        else
            collector_.has_failed(copy);
    }

    int finish() {
        WatchCollector::End end = collector_.end();
        BatchRound round(setup_, std::move(end.plan), is_first_);
        const std::vector<record::Row> all = round.run();
        return summarise(setup_, round, all,
                         WatchEnd{.unfinished = end.unfinished, .too_late = end.too_late});
    }

    std::optional<std::int64_t> until_;
    BatchSetup setup_;
    WatchCollector collector_;
    Pace pace_;
    bool is_first_ = true;
};

}  // namespace

int watch_batch(const BatchArguments& arguments) { return Watch(arguments).run(); }

}  // namespace cugrade::cli
