// Grades a class. Theory of operation:
//
// Each graded submission has its reports, each written by a rename, and then a mark in .batch/,
// which holds a digest of all that the reports depend on, one of the reports, and a code of the
// grader's key over both, the student and the assignment. So if a batch is killed at any moment,
// the graded submissions have marks and the rest have none, and --resume grades exactly the rest: a
// report counts if this grader made it for this student, from the same bytes under the same policy,
// assignment, version, back end and options, and nobody has changed it since. The gradebook is
// derived from the reports and rewritten after each of them.
//
// Several threads grade submissions, each in processes of its own. A step that needs a GPU takes
// the first free one and has it alone (gpu/gpu_seat.hpp); the other steps run at once.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "backend/backend.hpp"
#include "build/build_cache.hpp"
#include "cli/batch_mark.hpp"
#include "cli/batch_plan.hpp"
#include "cli/choices.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/terminal.hpp"
#include "core/files.hpp"
#include "core/home.hpp"
#include "core/printable.hpp"
#include "datasets/seeds.hpp"
#include "grading/pipeline.hpp"
#include "record/gradebook.hpp"
#include "record/lms.hpp"
#include "record/roster.hpp"
#include "report/format.hpp"
#include "report/seal.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

struct BatchArguments {
    std::string folder;
    std::string out;
    std::string assignment;
    std::string roster;
    std::vector<std::string> only;
    std::vector<std::string> tasks;
    std::vector<std::string> formats;
    bool resume = false;
    GradingChoices choices;
};

std::atomic<bool> interrupted{false};

/// Loud, at the start and at the end: students can compute those cases.
constexpr std::string_view no_secret =
    "no course secret is given, so the hidden cases are those of the development secret, which "
    "anybody can read in cugrade's source. For official grades: cugrade secret new FILE, then "
    "--secret-file FILE.";

/// The first Ctrl-C ends the batch in order, a second one ends it at once.
extern "C" void on_interrupt(int) {
    interrupted = true;
    std::signal(SIGINT, SIG_DFL);
    constexpr std::string_view text =
        "\nfinishing what is being graded; press Ctrl-C again to stop at once\n";
    const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
    static_cast<void>(ignored);
}

/// Keeps two batches from writing into one folder. The kernel releases the lock when the process
/// ends.
class FolderLock {
public:
    explicit FolderLock(const fs::path& folder)
        : fd_(::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
        if (fd_ < 0)
            throw Failure(
                Error{.message = fmt::format("cannot write there: {}", std::strerror(errno)),
                      .file = folder.string()});
        if (::flock(fd_, LOCK_EX | LOCK_NB) != 0)
            throw Failure(Error{.kind = ErrorKind::usage,
                                .message = "another batch is writing into this folder",
                                .file = folder.string(),
                                .remedy = "wait for it to end, or give another --out"});
    }
    ~FolderLock() { ::close(fd_); }
    FolderLock(const FolderLock&) = delete;

private:
    int fd_;
};

constexpr std::size_t widest_student = 40;  // one long name does not push all lines apart

class Batch {
public:
    explicit Batch(const BatchArguments& arguments)
        : options_(value_of(arguments.choices.options())),
          course_(value_of(Course::load(value_of(Home::find()), arguments.choices.policy))),
          roster_(roster_of(arguments)),
          plan_(value_of(
              plan_batch(arguments.folder, course_.assignments,
                         arguments.assignment.empty()
                             ? nullptr
                             : value_of(find_assignment(course_.assignments, arguments.assignment,
                                                        course_.left_out)),
                         course_.left_out, roster_ ? &*roster_ : nullptr))),
          items_(plan_.items),
          out_(arguments.out),
          sealer_(value_of(arguments.choices.sealer())),
          formats_(value_of(report::formats_of_batch(arguments.formats))),
          results_(items_.size()),
          is_chosen_(items_.size(), true) {
        options_.tasks = arguments.tasks;
        for (const BatchItem& item : items_)
            for (const std::string& task : arguments.tasks)
                (void)value_of(find_task(*item.assignment, task));
        if (options_.secret.empty()) fmt::print(stderr, "cugrade: WARNING: {}\n", no_secret);
        choose_backend();
        options_.jobs = 1;  // tasks at once, within one submission
        jobs_ = arguments.choices.job_count(static_cast<int>(backend_->shared_devices()));
        options_.emulator_threads = arguments.choices.thread_count(jobs_);
        check(make_folders(out_));
        lock_.emplace(out_);
        remove_leftovers();
        for (const BatchItem& item : items_) {
            check(make_folders(folder_of(item)));
            student_width_ =
                std::max(student_width_, std::min(printable(item.student).size(), widest_student));
            assignment_width_ = std::max(assignment_width_, item.assignment->id.size());
        }
        if (arguments.resume || !arguments.only.empty()) take_earlier_reports();
        if (!arguments.only.empty()) choose_only(arguments.only, arguments.resume);
    }

    int run() {
        const std::size_t before = done_;
        if (before > 0) print(fmt::format("{} of {} are graded already\n", before, items_.size()));
        say_how_long();
        write_gradebook();
        const auto previous = std::signal(SIGINT, on_interrupt);
        std::vector<std::thread> threads;
        const auto left = static_cast<int>(std::min<std::size_t>(to_do_ - before, 1024));
        for (int t = 1; t < std::min(jobs_, left); ++t) threads.emplace_back([this] { work(); });
        work();
        for (auto& thread : threads) thread.join();
        std::signal(SIGINT, previous);
        if (broken_) throw Failure(*broken_);
        return summarise();
    }

private:
    struct Grading {
        std::optional<Report> report;
        std::string problem;         ///< why there is no report
        bool of_the_course = false;  ///< the problem is the course's, and its author has to mend it
    };

    /// Only these students are graded, anew unless what they handed in has its report and they
    /// `may_keep` it. The others keep theirs; the table has to tell the same rules for all.
    void choose_only(const std::vector<std::string>& students, bool may_keep) {
        std::vector<std::string> all;
        for (const BatchItem& item : items_) all.push_back(item.student);
        for (const std::string& student : students)
            if (std::ranges::find(all, student) == all.end()) {
                Error error = unknown("student", student, all);
                error.key = "--only";
                throw Failure(std::move(error));
            }
        std::vector<std::string> changed;
        for (std::size_t i = 0; i < items_.size(); ++i) {
            is_chosen_[i] = std::ranges::find(students, items_[i].student) != students.end();
            if (is_chosen_[i] && results_[i].report && !may_keep) {
                results_[i].report.reset();
                --done_;
            }
            if (is_chosen_[i] || results_[i].report) continue;
            --to_do_;
            std::error_code error;
            if (fs::exists(mark_of(items_[i]), error))
                changed.push_back(
                    fmt::format("{} ({})", printable(items_[i].student), items_[i].assignment->id));
        }
        if (changed.empty()) return;
        constexpr std::size_t most = 5;
        const std::size_t more = changed.size() - std::min(changed.size(), most);
        changed.resize(changed.size() - more);
        throw Failure(Error{
            .kind = ErrorKind::usage,
            .message = fmt::format("other hand-ins, or another policy, secret or version than when "
                                   "these were graded: {}{}",
                                   fmt::join(changed, ", "),
                                   more > 0 ? fmt::format(" and {} more", more) : ""),
            .key = "--only",
            .remedy = "name these with --only, too, or grade with --resume instead of --only"});
    }

    static std::optional<record::Roster> roster_of(const BatchArguments& arguments) {
        if (arguments.roster.empty()) return std::nullopt;
        const auto text = read_file(arguments.roster);
        if (!text) {
            Error error = text.error();
            error.kind = ErrorKind::usage;
            throw Failure(std::move(error));
        }
        return value_of(record::Roster::read(*text, arguments.roster));
    }

    /// What a batch that was killed had not finished, here and where gradings keep their files.
    void remove_leftovers() const {
        remove_abandoned_temporary_folders();
        std::error_code error;
        if (const auto cache = BuildCache::open()) cache->remove_abandoned();
        for (const auto& folder : fs::directory_iterator(cache_folder(), error))
            remove_unfinished_files(folder);
        remove_unfinished_files(out_);
        for (const BatchItem& item : items_) {
            remove_unfinished_files(folder_of(item));
            remove_unfinished_files(mark_of(item).parent_path());
        }
    }

    /// All submissions use the same back end; an earlier report counts only if it used it, too.
    void choose_backend() {
        backend_ = value_of(cugrade::choose_backend(options_));
        options_.backend = backend_->name();
        for (const std::string& note : backend_->notes()) print(note + "\n");
    }

    [[nodiscard]] fs::path folder_of(const BatchItem& item) const {
        return out_ / "reports" / item.assignment->id;
    }
    [[nodiscard]] fs::path file_of(const BatchItem& item, std::string_view extension) const {
        return folder_of(item) / (item.student + std::string(extension));
    }

    /// A digest of all inputs of a report. The secret is in it under the grader's key, so the
    /// digest helps nobody to guess it.
    [[nodiscard]] std::string inputs_of(const BatchItem& item,
                                        const std::string& submission_sha256) const {
        std::string text = fmt::format(
            "submission {}\npolicy {}\ncugrade {}\nbackend {}\ndevice {}\ntiming {}\nnvcc {}\n"
            "secret {}\nsigned by {}\nassignment {}\n",
            submission_sha256, course_.policy.sha256, CUGRADE_VERSION, backend_->name(),
            provenance(course_, *backend_).device, options_.timing, course_.toolchain.nvcc_version,
            options_.secret.empty() ? "none" : sealer_.key.mac("course secret", {options_.secret}),
            sealer_.signing ? sealer_.signing->public_hex() : "nobody",
            datasets::sha256(value_of(read_file(item.assignment->folder / "assignment.yaml"))));
        for (const std::string& task : options_.tasks) text += fmt::format("task {}\n", task);
        return datasets::sha256(text);
    }
    /// A digest of the reports that lie there; empty: one of them is missing.
    [[nodiscard]] std::string reports_of(const BatchItem& item) const {
        std::string text;
        for (const report::Format& format : formats_) {
            const auto file = read_file(file_of(item, format.extension));
            if (!file) return "";
            text += fmt::format("{} {}\n", format.name, datasets::sha256(*file));
        }
        return datasets::sha256(text);
    }
    [[nodiscard]] fs::path mark_of(const BatchItem& item) const {
        return out_ / ".batch" / item.assignment->id / item.student;
    }

    void take_earlier_reports() {
        if (!sealer_.key.is_kept()) return;  // the warning about the key has said so
        for (std::size_t i = 0; i < items_.size(); ++i) {
            const BatchItem& item = items_[i];
            if (!item.problem.empty()) continue;
            const auto mark = read_file(mark_of(item));
            const auto sha256 = submission_sha256(item.source);
            if (!mark || !sha256) continue;
            const Graded today{.assignment = item.assignment->id,
                               .student = item.student,
                               .inputs = inputs_of(item, *sha256),
                               .reports = reports_of(item)};
            switch (judge_mark(sealer_.key, today, *mark)) {
                case Mark::outdated: break;
                case Mark::foreign:
                    distrust(item, "its mark was not made by this grader for this student");
                    break;
                case Mark::report_changed:
                    distrust(item, "its reports are not as this grader wrote them");
                    break;
                case Mark::good: take(i); break;
            }
        }
    }

    /// The seal is looked at in the bytes that are read here: the file may have been replaced since
    /// its mark was judged.
    void take(std::size_t i) {
        const auto text = read_file(file_of(items_[i], ".json"));
        if (!text) return;
        const auto changed =
            report::what_was_changed(*text, {.key = sealer_.key, .course = std::nullopt});
        auto report = report::read_report(*text);
        if (!report || !changed || !changed->empty() || report->student != items_[i].student)
            return distrust(items_[i], "its reports are not as this grader wrote them");
        results_[i].report = std::move(*report);
        ++done_;
    }

    void distrust(const BatchItem& item, std::string_view why) {
        distrusted_.push_back(
            fmt::format("{} ({}): {}", printable(item.student), item.assignment->id, why));
        fmt::print(stderr, "cugrade: warning: {}; it is graded anew\n", distrusted_.back());
    }

    void work() {
        for (std::size_t i = next_++; i < items_.size(); i = next_++) {
            if (results_[i].report || !is_chosen_[i]) continue;
            {
                const std::lock_guard lock(mutex_);
                if (interrupted || broken_) return;
            }
            try {
                finish(i, grade_one(items_[i]));
            } catch (const std::exception& error) {
                // Not this submission's fault: the report or the gradebook cannot be written.
                const std::lock_guard lock(mutex_);
                if (!broken_) broken_ = Error{.message = error.what()};
            }
        }
    }

    Grading grade_one(const BatchItem& item) {
        Grading result;
        result.problem = item.problem;
        if (!result.problem.empty()) return result;
        GradeOptions options = options_;
        options.student = item.student;
        try {
            auto report = grade(course_, *item.assignment, item.source, options);
            if (!report) {
                result.problem = report.error().text();
                result.of_the_course = report.error().kind == ErrorKind::configuration;
            } else if (report->verdict == Verdict::harness_error) {
                result.problem = harness_message(*report);
            } else {
                result.report = std::move(*report);
            }
        } catch (const std::exception& error) {
            result.problem = error.what();
        }
        return result;
    }

    static std::string harness_message(const Report& report) {
        for (const TaskReport& task : report.tasks)
            for (const CaseOutcome& outcome : task.outcome.cases)
                if (outcome.verdict == Verdict::harness_error)
                    return fmt::format("{}: {}", task.name, outcome.message);
        return "a part of it could not be judged";
    }

    /// The longest possible time of what is left, whatever the submissions do.
    void say_how_long() const {
        double all_s = 0, longest_s = 0;
        for (std::size_t i = 0; i < items_.size(); ++i) {
            if (results_[i].report || !is_chosen_[i] || !items_[i].problem.empty()) continue;
            const auto one =
                longest_grading_s(course_.policy.assignments.at(items_[i].assignment->id).limits);
            if (!one) return;
            all_s += *one;
            longest_s = std::max(longest_s, *one);
        }
        if (all_s == 0) return;
        // A free thread takes the next submission, so no thread waits while one is left. A bound is
        // rounded up.
        print(fmt::format(
            "whatever they do, submissions take {:.0f} min at most, and this batch {:.1f} h\n",
            std::ceil(longest_s / 60), std::ceil((all_s / jobs_ + longest_s) / 360) / 10));
    }

    /// Why a person has to look at a submission: it may be trouble that pays, or bad luck.
    static std::string for_a_person(const Report& report) {
        for (const TaskReport& task : report.tasks)
            for (const CaseOutcome& outcome : task.outcome.cases) {
                if (outcome.verdict == Verdict::suspicious) return outcome.message;
                if (outcome.verdict == Verdict::skipped &&
                    outcome.not_judged.why == NotJudged::Why::other)
                    return fmt::format("{} is not judged: {}", task.name,
                                       outcome.not_judged.detail);
            }
        return {};
    }

    void finish(std::size_t i, Grading result) {
        // Ctrl-C also ended this grading (the emulated GPU is in the terminal's group): nothing
        // failed.
        if (!result.report && interrupted) return;
        const BatchItem& item = items_[i];
        std::error_code ignored;
        // The mark is removed first and written last, so it never stands beside another grading's
        // report.
        fs::remove(mark_of(item), ignored);
        if (result.report) {
            result.report = report::sealed(std::move(*result.report), sealer_);
            write_reports(item, *result.report);
        } else {
            for (const report::Format& format : formats_)
                fs::remove(file_of(item, format.extension), ignored);
        }
        const std::lock_guard lock(mutex_);
        results_[i] = std::move(result);
        ++done_;
        const Grading& kept = results_[i];
        std::string line = fmt::format(
            "[{:>{}}/{}] {:<{}}  {:<{}}  ", done_, std::to_string(to_do_).size(), to_do_,
            printable(item.student), student_width_, item.assignment->id, assignment_width_);
        if (kept.report)
            line += fmt::format("{:>7}  {:<16}  {:>5.1f} s\n",
                                report::points_text(kept.report->score.earned) + "/" +
                                    report::points_text(kept.report->score.judged),
                                name(kept.report->verdict), kept.report->seconds);
        else
            line += fmt::format("not graded: {}\n",
                                printable(kept.problem.substr(0, kept.problem.find('\n'))));
        print(line);
        write_gradebook();
    }

    /// The mark is computed from what was meant to be written, not from what lies there then.
    void write_reports(const BatchItem& item, const Report& report) const {
        std::string digests;
        for (const report::Format& format : formats_) {
            const std::string text = format.write(report, {});
            check(write_atomically(file_of(item, format.extension), text));
            digests += fmt::format("{} {}\n", format.name, datasets::sha256(text));
        }
        check(make_folders(mark_of(item).parent_path()));
        check(write_atomically(
            mark_of(item),
            make_mark(sealer_.key, {.assignment = item.assignment->id,
                                    .student = item.student,
                                    .inputs = inputs_of(item, report.submission_sha256),
                                    .reports = datasets::sha256(digests)})));
    }

    /// Writes the rows that are known so far, including submissions that could not be graded.
    void write_gradebook() {
        std::vector<record::GradebookRow> rows;
        for (std::size_t i = 0; i < items_.size(); ++i) {
            const Grading& result = results_[i];
            if (!result.report && result.problem.empty()) continue;
            rows.push_back({.student = items_[i].student,
                            .assignment = items_[i].assignment->id,
                            .report = result.report ? &*result.report : nullptr,
                            .report_file = fmt::format(
                                "reports/{}/{}.txt", items_[i].assignment->id, items_[i].student)});
        }
        for (const Missing& one : plan_.missing)
            rows.push_back(
                {.student = one.student, .assignment = one.assignment->id, .is_missing = true});
        check(write_atomically(out_ / "gradebook.csv", record::gradebook_csv(rows)));
        if (roster_) write_for_lms();
    }

    [[nodiscard]] fs::path canvas_file() const { return out_ / "canvas.csv"; }
    [[nodiscard]] fs::path moodle_file(const std::string& assignment) const {
        return out_ / fmt::format("moodle-{}.csv", assignment);
    }

    void write_for_lms() const {
        std::vector<record::Graded> all;
        std::map<std::string, std::vector<record::Graded>> by_assignment;
        for (std::size_t i = 0; i < items_.size(); ++i) {
            const BatchItem& item = items_[i];
            auto* of_moodle =
                item.participant.empty() ? nullptr : &by_assignment[item.assignment->id];
            if (item.listed == nullptr || !results_[i].report) continue;
            all.push_back({item.listed, item.participant, &*results_[i].report});
            if (of_moodle != nullptr) of_moodle->push_back(all.back());
        }
        check(write_atomically(canvas_file(), record::canvas_csv(all)));
        for (const auto& [assignment, graded] : by_assignment)
            check(write_atomically(moodle_file(assignment), record::moodle_csv(graded)));
    }

    [[nodiscard]] std::string files_for_lms() const {
        std::string text = fmt::format("For Canvas:  {}\n", canvas_file().string());
        for (const AssignmentSpec& assignment : course_.assignments)
            if (std::ranges::any_of(items_, [&](const BatchItem& item) {
                    return item.assignment == &assignment && !item.participant.empty();
                }))
                text += fmt::format("For Moodle:  {}\n", moodle_file(assignment.id).string());
        return text;
    }

    /// A paragraph with one line for each; nothing if there is none.
    static std::string listed(std::string_view heading, const std::vector<std::string>& lines) {
        if (lines.empty()) return {};
        std::string text = fmt::format("\n{}\n", heading);
        for (const std::string& line : lines) text += fmt::format("  {}\n", printable(line));
        return text;
    }

    /// Who of the roster handed in nothing, and what is nobody's.
    [[nodiscard]] std::string about_the_roster() const {
        std::vector<std::string> missing;
        for (const Missing& one : plan_.missing)
            missing.push_back(fmt::format("{} ({})", one.student, one.assignment->id));
        return listed("Graded, but nobody's in the roster, so in no file for Canvas or Moodle:",
                      plan_.unlisted) +
               listed("In the roster, with nothing handed in:", missing);
    }

    int summarise() {
        std::map<Verdict, int> verdicts;
        std::array<int, 10> tenths{};
        std::vector<std::size_t> ungraded;
        std::string to_decide;
        std::size_t graded = 0;
        double sum = 0;
        for (std::size_t i = 0; i < results_.size(); ++i) {
            if (!results_[i].report) {
                if (!results_[i].problem.empty()) ungraded.push_back(i);
                continue;
            }
            const Report& report = *results_[i].report;
            const double share =
                report.score.judged > 0 ? report.score.earned / report.score.judged : 0;
            if (const std::string why = for_a_person(report); !why.empty())
                to_decide += fmt::format("  {} ({}): {}\n", printable(items_[i].student),
                                         items_[i].assignment->id, printable(why));
            ++graded;
            ++verdicts[report.verdict];
            ++tenths[std::min<std::size_t>(static_cast<std::size_t>(10 * share + 1e-9), 9)];
            sum += share;
        }
        std::string text = fmt::format("\n{} of {} graded", graded, to_do_);
        if (graded > 0)
            text += fmt::format(", {:.1f} % of the judged points on average",
                                100 * sum / static_cast<double>(graded));
        text += "\n\n";
        for (std::size_t t = 0; graded > 0 && t < tenths.size(); ++t) {
            const int bar = static_cast<int>(40 * static_cast<std::size_t>(tenths[t]) / graded);
            text += fmt::format("  {:>3} to {:>3} %  {:>4}  {}\n", 10 * t, 10 * (t + 1), tenths[t],
                                std::string(static_cast<std::size_t>(bar), '#'));
        }
        text += "\n";
        for (const auto& [verdict, count] : verdicts)
            text += fmt::format("  {:<20} {:>4}\n", name(verdict), count);
        text += fmt::format("\nGradebook:   {}\nReports:     {}\n",
                            (out_ / "gradebook.csv").string(), (out_ / "reports").string());
        if (roster_) text += files_for_lms();
        if (options_.secret.empty()) text += fmt::format("\nWARNING: {}\n", no_secret);
        const bool complete = graded == to_do_;
        if (to_do_ < items_.size())
            text += fmt::format("\n{} others are not graded yet, and were not asked for (--only)\n",
                                items_.size() - to_do_);
        if (!to_decide.empty())
            text +=
                "\nFor a person to decide; what is named earns nothing until then:\n" + to_decide;
        if (!ungraded.empty()) {
            text += "\nNot graded, and nothing is charged to these students:\n";
            for (const std::size_t i : ungraded)
                text += fmt::format("  {} ({}): {}\n", printable(items_[i].student),
                                    items_[i].assignment->id, printable(results_[i].problem));
        }
        text += listed("Graded anew, because what lay there cannot be trusted:", distrusted_);
        if (!plan_.passed_over.empty()) {
            constexpr std::size_t most = 20;
            text += "\nPassed over, because they are no submissions:\n";
            for (std::size_t i = 0; i < std::min(plan_.passed_over.size(), most); ++i)
                text += fmt::format("  {}\n", printable(plan_.passed_over[i]));
            if (plan_.passed_over.size() > most)
                text += fmt::format("  and {} more\n", plan_.passed_over.size() - most);
        }
        if (roster_) text += about_the_roster();
        text += listed("Graded as different students, because their names differ:", plan_.alike);
        text += listed("Not graded, as assignments:", plan_.left_out);
        if (!complete)
            text += fmt::format("\n{}The same command with --resume grades the rest.\n",
                                interrupted ? "Interrupted. " : "");
        print(text);
        if (complete)
            return plan_.broken ? exit_usage : to_decide.empty() ? exit_graded : exit_person;
        bool of_the_course = true;
        for (std::size_t i = 0; i < results_.size(); ++i)
            if (is_chosen_[i] && !results_[i].report) of_the_course &= results_[i].of_the_course;
        return of_the_course ? exit_usage : exit_harness;
    }

    GradeOptions options_;
    Course course_;
    std::optional<record::Roster> roster_;
    BatchPlan plan_;
    const std::vector<BatchItem>& items_;  ///< of plan_
    fs::path out_;
    report::Sealer sealer_;
    std::vector<report::Format> formats_;  ///< of the reports
    std::vector<std::string> distrusted_;  ///< earlier gradings, and why they do not count
    std::vector<Grading> results_;         ///< of items_
    std::vector<bool> is_chosen_;          ///< of items_: may be graded in this run
    std::size_t to_do_ = items_.size();    ///< those that are chosen, and those graded before
    std::unique_ptr<Backend> backend_;
    int jobs_ = 1;
    std::optional<FolderLock> lock_;
    std::size_t student_width_ = 0, assignment_width_ = 0;
    std::atomic<std::size_t> next_{0};
    std::mutex mutex_;  ///< guards everything below, results_ and the output
    std::size_t done_ = 0;
    std::optional<Error> broken_;
};

}  // namespace

void add_batch(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand("batch", "Grade a class: reports and a gradebook");
    const auto arguments = std::make_shared<BatchArguments>();
    command
        ->add_option(
            "folder", arguments->folder,
            "Submissions: <student>.cu or <student>/, or one folder of these per assignment")
        ->required();
    command->add_option("-o,--out", arguments->out, "Folder for reports/ and gradebook.csv")
        ->required();
    command->add_option("-a,--assignment", arguments->assignment,
                        "Id of the assignment that all are for; default: by the folders' names");
    command->add_option(
        "--roster", arguments->roster,
        "The class, a CSV file with the columns id and, if there are, name, lms_id, "
        "section, email: names students, and writes marks for Canvas and Moodle");
    command
        ->add_option("--only", arguments->only,
                     "Grade this student anew (may be repeated), and keep the others' reports")
        ->take_all();
    command->add_option("--task", arguments->tasks, "Only this task (may be repeated)")->take_all();
    std::vector<std::string> more;
    for (const report::Format& format : report::formats())
        if (!format.for_everybody) more.emplace_back(format.name);
    command
        ->add_option("-f,--format", arguments->formats,
                     fmt::format("Write each report in this format, too (may be repeated): {}",
                                 fmt::join(more, ", ")))
        ->take_all();
    command->add_flag("--resume", arguments->resume,
                      "Keep the reports that are there and still right");
    arguments->choices.is_class = true;
    arguments->choices.add_all(*command);
    arguments->choices.add_sign(*command);
    command->footer(
        "Examples:\n"
        "  cugrade batch submissions/ -a reduction --out graded\n"
        "  cugrade batch class/ --out graded --secret-file secret --resume");
    command->callback([arguments, &exit_code] { exit_code = Batch(*arguments).run(); });
}

}  // namespace cugrade::cli
