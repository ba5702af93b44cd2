#include "cli/watch_collector.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cli/class_tables.hpp"
#include "cli/failure.hpp"
#include "cli/handins.hpp"
#include "cli/terminal.hpp"
#include "core/printable.hpp"
#include "core/utc.hpp"
#include "record/marks.hpp"

namespace cugrade::cli {
namespace {

using namespace std::chrono_literals;

/// A copy over a network pauses for less. Chosen.
constexpr auto settle_time = 2s;
/// Where the kernel tells nothing of a folder, it is looked at so often. Chosen.
constexpr auto between_looks = 2s;
/// A file that is written piece by piece makes an event each time.
constexpr auto shortest_pause = 200ms;

record::Who who_of(const BatchItem& item) { return {item.assignment->id, item.student}; }

/// What lateness takes from a copy, in steps: see WatchQueue.
int lateness_of(const record::HandedIn& handed_in, const HandInPolicy& policy) {
    if (policy.attempts == Attempts::last) return 0;
    if (record::is_too_late(handed_in, policy)) return std::numeric_limits<int>::max();
    return policy.attempts == Attempts::best ? record::days_late(handed_in, policy) : 0;
}

/// By what has changed since, a round is due although nothing waits.
bool has_other_items(const BatchPlan& a, const BatchPlan& b) {
    return !std::ranges::equal(a.items, b.items, {}, who_of, who_of);
}

}  // namespace

WatchCollector::WatchCollector(BatchSetup& setup, std::optional<std::int64_t> until)
    : setup_(setup), until_(until), copies_(setup.out), queue_(settle_time) {
    learn_what_is_graded();
    thread_ = std::thread([this] { work(); });
}

WatchCollector::~WatchCollector() {
    {
        const std::lock_guard lock(mutex_);
        should_end_ = true;
    }
    if (thread_.joinable()) thread_.join();
}

void WatchCollector::learn_what_is_graded() {
    setup_.learn_device();
    std::map<record::Who, record::Record::Kept> newest;
    for (auto& one : value_of(setup_.record->attempts(setup_.sealer.key)))
        newest[{one.grading.assignment, one.grading.student}] = std::move(one);
    for (const AssignmentSpec& assignment : setup_.course.assignments)
        for (const auto& [who, one] : newest)
            if (who.first == assignment.id && one.is_ours && !one.grading.report.empty() &&
                one.grading.inputs == setup_.inputs_of(assignment, one.grading.submission_sha256))
                queue_.is_graded(who, one.grading.submission_sha256);
}

// ---- The thread ---------------------------------------------------------------------------------

void WatchCollector::work() {
    while (true) {
        const bool is_last = until_ && std::time(nullptr) > *until_;
        std::string trouble;
        {
            const std::lock_guard lock(mutex_);
            is_looking_ = true;
        }
        try {
            look();
        } catch (const std::exception& error) {
            trouble = error.what();
        }
        say_trouble(trouble);
        bool is_landing = false;
        {
            const std::lock_guard lock(mutex_);
            is_looking_ = false;
            has_looked_last_ |= is_last && trouble.empty();
            is_landing = queue_.is_landing();
            if (should_end_) return;
        }
        changed_.notify_all();
        std::this_thread::sleep_for(shortest_pause);
        const auto start = WatchQueue::Time::clock::now();
        const auto most = is_landing ? std::chrono::milliseconds(shortest_pause)
                                     : std::chrono::milliseconds(between_looks);
        while (WatchQueue::Time::clock::now() - start < most) {
            if (events_.wait(shortest_pause)) break;
            const std::lock_guard lock(mutex_);
            if (should_end_) return;
        }
    }
}

void WatchCollector::look() {
    std::vector<std::filesystem::path> folders;
    const Stamp whole = stamp_of(setup_.arguments.folder / std::filesystem::path("."), &folders);
    events_.add(folders);
    const std::string extensions = stamp_of(setup_.arguments.tables.extensions).text;
    {
        const std::lock_guard lock(mutex_);
        // Nobody hands in, and a mark changes all the same.
        is_other_ |= plan_ && extensions != last_extensions_;
        last_extensions_ = extensions;
        if (plan_ && trouble_.empty() && whole.text == last_stamp_ && !queue_.is_landing()) return;
    }
    BatchPlan plan = setup_.plan();
    std::vector<Seen> seen;
    std::map<record::Who, Stamp> stamps;
    for (const BatchItem& item : plan.items) {
        Stamp stamp = stamp_of(item.entry);
        stamp.text += item.problem;
        seen.push_back({who_of(item), stamp.text, stamp.changed_at});
        stamps[who_of(item)] = std::move(stamp);
    }
    std::vector<LandedCopy> gone;
    std::vector<record::Who> landed;
    {
        const std::lock_guard lock(mutex_);
        stamps_ = std::move(stamps);
        landed = queue_.look(seen, WatchQueue::Time::clock::now(), gone);
        is_other_ |= !plan_ || has_other_items(*plan_, plan);
        plan_ = plan;
    }
    for (const LandedCopy& one : gone) copies_.remove(one);
    if (!has_taken_left_) take_what_was_left(plan);
    has_taken_left_ = true;
    take_landed(landed, plan);
    last_stamp_ = whole.text;
}

/// What fails here is the machine's or an instructor's, and is tried again.
void WatchCollector::take_landed(const std::vector<record::Who>& landed, const BatchPlan& plan) {
    if (landed.empty()) return;
    std::set<record::Who> left(landed.begin(), landed.end());
    try {
        std::vector<record::Entry> entries = entries_of(plan);
        set_times(entries, setup_.arguments.tables);
        for (std::size_t i = 0; i < plan.items.size(); ++i) {
            const record::Who who = who_of(plan.items[i]);
            if (!left.contains(who)) continue;
            take(plan.items[i], entries[i].handed_in);
            left.erase(who);
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        for (const record::Who& who : left) queue_.land_later(who, WatchQueue::Time::clock::now());
        throw;
    }
}

void WatchCollector::take(BatchItem item, record::HandedIn handed_in) {
    const record::Who who = who_of(item);
    const Stamp stamp = [&] {
        const std::lock_guard lock(mutex_);
        return stamps_.at(who);
    }();
    if (until_ && stamp.changed_at > *until_) return;
    const std::string problem = item.problem;
    if (item.is_archive) {
        BatchPlan one{.items = {std::move(item)}};
        check(unpack_handins(one, setup_.out));
        item = std::move(one.items.front());
    }
    LandedCopy copy = value_of(copies_.make(item, stamp.changed_at));
    if (stamp_of(item.entry).text + problem != stamp.text) {
        copies_.remove(copy);
        const std::lock_guard lock(mutex_);
        return queue_.land_later(who, WatchQueue::Time::clock::now());
    }
    handed_in.at = stamp.changed_at;
    tell_repaired(copy);
    put(std::move(copy), handed_in);
}

/// Who owns a file can set all of its times but ctime, so the time of a hand-in that nobody could
/// read is that of the repair: else its content could be from any time between.
void WatchCollector::tell_repaired(const LandedCopy& copy) {
    if (!copy.problem.empty()) return;
    if (copy.sha256.empty()) {
        unread_since_.try_emplace(copy.who, copy.landed_at);
        return;
    }
    const auto since = unread_since_.find(copy.who);
    if (since == unread_since_.end()) return;
    print(fmt::format(
        "{} ({}) could not be read from {} until {}, which counts as the time of the hand-in: "
        "--extensions, where that makes late\n",
        printable(copy.who.second), copy.who.first, utc_text(since->second),
        utc_text(copy.landed_at)));
    unread_since_.erase(since);
}

void WatchCollector::put(LandedCopy copy, const record::HandedIn& handed_in) {
    copy.lateness = lateness_of(handed_in, setup_.course.policy.assignments.at(copy.who.first));
    std::vector<LandedCopy> replaced;
    {
        const std::lock_guard lock(mutex_);
        replaced = queue_.put(std::move(copy));
    }
    for (const LandedCopy& one : replaced) copies_.remove(one);
}

/// An earlier watch had not come to these: some are not in the folder any more.
void WatchCollector::take_what_was_left(const BatchPlan& plan) {
    std::vector<record::Entry> entries = entries_of(plan);
    set_times(entries, setup_.arguments.tables);
    for (LandedCopy& copy : copies_.left()) {
        const auto item = std::ranges::find(plan.items, copy.who, who_of);
        if (item == plan.items.end()) {
            copies_.remove(copy);
            continue;
        }
        record::HandedIn handed_in =
            entries[static_cast<std::size_t>(item - plan.items.begin())].handed_in;
        handed_in.at = copy.landed_at;
        put(std::move(copy), handed_in);
    }
}

/// Once, and once that it is over.
void WatchCollector::say_trouble(const std::string& trouble) {
    std::string before;
    {
        const std::lock_guard lock(mutex_);
        before = std::exchange(trouble_, trouble);
    }
    if (trouble == before) return;
    if (!trouble.empty())
        fmt::print(stderr, "cugrade: warning: {}\n  the watch waits until this is over\n", trouble);
    else
        fmt::print(stderr, "cugrade: the watch goes on\n");
}

// ---- The batch's side ---------------------------------------------------------------------------

WatchCollector::News WatchCollector::news() const {
    // Without the folder no round can tell who is in the class.
    if (!trouble_.empty()) return {.is_over = until_ && std::time(nullptr) > *until_};
    if (!plan_) return {};
    return {// What has landed waits only when it is copied.
            .is_over = has_looked_last_ && !is_looking_ && queue_.waiting() == 0 &&
                       !queue_.is_landing_until(*until_),
            .is_other = is_other_,
            .waiting = queue_.waiting()};
}

WatchCollector::News WatchCollector::wait() {
    std::unique_lock lock(mutex_);
    (void)changed_.wait_for(lock, shortest_pause, [this] {
        const News now = news();
        return now.is_over || now.is_other || now.waiting > 0;
    });
    return news();
}

std::size_t WatchCollector::waiting() const {
    const std::lock_guard lock(mutex_);
    return queue_.waiting();
}

BatchPlan WatchCollector::left_plan() const {
    BatchPlan plan = *plan_;
    for (BatchItem& item : plan.items) item.is_left = true;
    return plan;
}

WatchCollector::Work WatchCollector::next(std::size_t most) {
    const std::lock_guard lock(mutex_);
    is_other_ = false;
    return {left_plan(), queue_.next(most)};
}

void WatchCollector::is_graded(const LandedCopy& copy) {
    {
        const std::lock_guard lock(mutex_);
        queue_.is_graded(copy.who, copy.sha256);
    }
    copies_.remove(copy);
}

void WatchCollector::has_failed(const LandedCopy& copy) {
    {
        const std::lock_guard lock(mutex_);
        queue_.has_failed(copy.who);
    }
    copies_.remove(copy);
}

void WatchCollector::put_back(LandedCopy copy) {
    const std::lock_guard lock(mutex_);
    queue_.put_back(std::move(copy));
}

WatchCollector::End WatchCollector::end() {
    {
        const std::lock_guard lock(mutex_);
        should_end_ = true;
    }
    thread_.join();
    copies_.remove_empty_folders();
    if (!plan_ || !trouble_.empty())
        throw Failure(Error{.message = "the folder of hand-ins could not be looked at when the "
                                       "watch ended: " +
                                       (trouble_.empty() ? "there was no time for it" : trouble_),
                            .file = setup_.arguments.folder,
                            .remedy = "what is graded is safe; the same command goes on"});
    End end{.plan = left_plan(), .unfinished = queue_.unfinished(until_)};
    for (BatchItem& item : end.plan.items) {
        if (!until_ || stamps_.at(who_of(item)).changed_at <= *until_) continue;
        item.is_asked_for = false;
        ++end.too_late;
    }
    return end;
}

}  // namespace cugrade::cli
