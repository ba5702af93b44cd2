// Grades a class. Theory of operation:
//
// Each grading is committed to the record (record/record.hpp) with all that it depends on. The
// reports' files and the gradebook are written from it after that. So if a batch is killed at any
// moment, the graded submissions are in the record and the rest are not, and --resume grades
// exactly the rest: a grading counts if this grader made it for this student, from the same bytes
// under the same policy, assignment, version, back end and options. Report files that are missing
// or not as this grader wrote them are written again.
//
// Where submissions are graded is an executor's matter (cluster/executor.hpp): in threads here, or
// as jobs of a cluster (cluster/coordinator.hpp), each in processes of its own. A step that needs a
// GPU takes the first free one and has it alone (gpu/gpu_seat.hpp); the other steps run at once.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "backend/backend.hpp"
#include "build/build_cache.hpp"
#include "cli/batch_attempts.hpp"
#include "cli/batch_cluster.hpp"
#include "cli/batch_lists.hpp"
#include "cli/batch_plan.hpp"
#include "cli/batch_tally.hpp"
#include "cli/choices.hpp"
#include "cli/class_files.hpp"
#include "cli/class_tables.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/folder_lock.hpp"
#include "cli/handins.hpp"
#include "cli/interrupt.hpp"
#include "cli/submission_grader.hpp"
#include "cli/terminal.hpp"
#include "cluster/threads.hpp"
#include "core/files.hpp"
#include "core/home.hpp"
#include "core/in_parallel.hpp"
#include "core/printable.hpp"
#include "core/utc.hpp"
#include "grading/pipeline.hpp"
#include "record/inputs.hpp"
#include "record/record.hpp"
#include "record/rescoring.hpp"
#include "record/roster.hpp"
#include "record/tables.hpp"
#include "report/format.hpp"
#include "report/formats.hpp"
#include "report/seal.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

struct BatchArguments {
    std::string folder;
    std::string out;
    std::string assignment;
    ClassTables tables;
    std::vector<std::string> only;
    std::vector<std::string> tasks;
    std::vector<std::string> formats;
    std::string slurm;  ///< cluster.yaml; empty: graded here
    bool resume = false;
    GradingChoices choices;
};

/// Loud, at the start and at the end: students can compute those cases.
constexpr std::string_view no_secret =
    "no course secret is given, so the hidden cases are those of the development secret, which "
    "anybody can read in cugrade's source. For official grades: cugrade secret new FILE, then "
    "--secret-file FILE.";

constexpr std::string_view on_interrupt_here =
    "\nfinishing what is being graded; press Ctrl-C again to stop at once\n";
constexpr std::string_view on_interrupt_on_cluster =
    "\ncancelling the jobs; press Ctrl-C again to stop at once, and leave them at work\n";
/// Threads that write reports: they wait for the disk most of the time. Chosen.
constexpr int writers = 8;
/// Writing the table of a large class costs more than reading one result. Chosen: still live for a
/// person who looks.
constexpr std::chrono::seconds between_tables{1};

class Batch {
public:
    explicit Batch(const BatchArguments& arguments)
        : cluster_(read_cluster(arguments.slurm, arguments.choices)),
          options_(value_of(arguments.choices.options())),
          course_(value_of(Course::load(value_of(Home::find()), arguments.choices.policy))),
          roster_(read_roster(arguments.tables.roster)),
          out_(arguments.out),
          plan_(value_of(
              plan_batch(folder_of_class(arguments.folder), course_.assignments,
                         arguments.assignment.empty()
                             ? nullptr
                             : value_of(find_assignment(course_.assignments, arguments.assignment,
                                                        course_.left_out)),
                         course_.left_out, roster_ ? &*roster_ : nullptr))),
          items_(plan_.items),
          sealer_(value_of(arguments.choices.sealer())),
          formats_(value_of(report::formats_of_batch(arguments.formats))),
          results_(items_.size()),
          numbers_(items_.size(), 0),
          is_chosen_(items_.size(), true),
          was_graded_(items_.size(), false) {
        options_.tasks = arguments.tasks;
        for (const BatchItem& item : items_)
            for (const std::string& task : arguments.tasks)
                (void)value_of(find_task(*item.assignment, task));
        if (options_.secret.empty()) fmt::print(stderr, "cugrade: WARNING: {}\n", no_secret);
        choose_backend();
        options_.jobs = 1;  // tasks at once, within one submission
        jobs_ = cluster_
                    ? cluster_->grade.tasks * cluster_->grade.cpus
                    : arguments.choices.job_count(static_cast<int>(backend_->shared_devices()));
        options_.emulator_threads = arguments.choices.thread_count(jobs_);
        grader_ = {.course = &course_,
                   .options = options_,
                   .key = &sealer_.key,
                   .signed_by = sealer_.signing ? sealer_.signing->public_hex() : "nobody"};
        if (backend_) device_ = grader_.device_of(*backend_);
        lock_output();
        record_.emplace(value_of(record::Record::open(out_)));
        remove_leftovers();
        check(unpack_handins(plan_, out_));
        for (const BatchItem& item : items_) {
            check(make_folders(folder_of(item)));
            widths_.widen(item);
        }
        decisions_ = value_of(record_->decisions(sealer_.key));
        attempts_.emplace(*record_, sealer_, course_, rules());
        entries_ = entries_of(plan_);
        set_times(entries_, arguments.tables);
        if (arguments.tables.submitted.empty()) attempts_->keep_times(items_, entries_);
        names_ = read_chosen_names(course_.policy, entries_);
        check(record_->set_class(entries_, attempts_->rules()));
        if (arguments.resume || !arguments.only.empty()) take_earlier_gradings();
        if (!arguments.only.empty()) choose_only(arguments.only, arguments.resume);
        attempts_->rescore(items_);
        write_what_is_missing();
        make_executor(arguments);
    }

    int run() {
        if (done_ > 0) print(fmt::format("{} of {} are graded already\n", done_, items_.size()));
        say_how_long();
        check(record::write_tables(out_, rows(), roster_.has_value()));
        {
            const Interruptible here(cluster_ ? on_interrupt_on_cluster : on_interrupt_here);
            grade_all();
        }
        if (broken_) throw Failure(*broken_);
        const std::vector<record::Row> all = rows();
        check(record::write_tables(out_, all, roster_.has_value()));
        check(write_class_pages(out_, {.rows = all,
                                       .policy = &course_.policy,
                                       .distrusted = distrusted_,
                                       .chosen_names = names_ ? &*names_ : nullptr}));
        if (!interrupted()) departed_ = attempts_->remove_departed(out_, items_);
        return summarise(all);
    }

private:
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
                numbers_[i] = 0;
                --done_;
            }
            if (is_chosen_[i] || results_[i].report) continue;
            --to_do_;
            if (was_graded_[i])
                changed.push_back(
                    fmt::format("{} ({})", printable(items_[i].student), items_[i].assignment->id));
        }
        if (!changed.empty()) throw Failure(others_have_changed(std::move(changed)));
    }

    void lock_output() {
        if (lock_) return;
        check(make_folders(out_));
        lock_.emplace(out_);
    }

    /// One archive with all hand-ins is unpacked before they are looked for, in the output folder.
    fs::path folder_of_class(const fs::path& folder) {
        if (!is_class_archive(folder)) return folder;
        lock_output();
        return value_of(unpack_class(folder, out_));
    }

    /// What a batch that was killed had not finished, here and where gradings keep their files.
    void remove_leftovers() const {
        remove_abandoned_temporary_folders();
        std::error_code error;
        if (const auto cache = BuildCache::open()) cache->remove_abandoned();
        for (const auto& folder : fs::directory_iterator(cache_folder(), error))
            remove_unfinished_files(folder);
        remove_unfinished_files(out_);
        remove_unfinished_handins(out_);
        remove_unfinished_attempts(out_);
        for (const BatchItem& item : items_) remove_unfinished_files(folder_of(item));
    }

    /// All submissions use the same back end; an earlier report counts only if it used it, too.
    void choose_backend() {
        if (cluster_) options_.backend = backend_on(*cluster_, options_.backend);
        // The GPUs are the nodes', and what they are is told by the first result.
        if (cluster_ && options_.backend != emulator_name) return;
        backend_ = value_of(cugrade::choose_backend(options_));
        options_.backend = backend_->name();
        for (const std::string& note : backend_->notes()) print(note + "\n");
    }

    void make_executor(const BatchArguments& arguments) {
        if (!cluster_) {
            executor_ = std::make_unique<cluster::Threads>(jobs_, [this](std::size_t i) {
                return grader_.grade(*items_[i].assignment, items_[i].student, items_[i].source);
            });
            return;
        }
        for (const auto& one : value_of(record_->attempts(sealer_.key)))
            if (one.is_ours) seconds_.add(one.grading);
        executor_ = cluster_executor(
            *cluster_, grader_, arguments.choices, out_, arguments.resume,
            {.item = [this](std::size_t i) { return planned(items_[i]); },
             .expected_s = [this](std::size_t i) { return seconds_.of(items_[i]); },
             .objection = [this](std::size_t i,
                                 const std::string& inputs) { return objection(i, inputs); },
             .say = [](const std::string& line) { print(line); }});
    }

    [[nodiscard]] fs::path folder_of(const BatchItem& item) const {
        return out_ / "reports" / item.assignment->id;
    }

    [[nodiscard]] std::string inputs_of(const AssignmentSpec& assignment,
                                        const std::string& submission_sha256) const {
        return grader_.inputs(assignment, submission_sha256, device_.value_or("unknown"));
    }

    /// Why a result that was made elsewhere does not count.
    std::string objection(std::size_t i, const std::string& inputs) {
        if (!device_) device_ = record::value_in(inputs, "device");
        const auto sha256 = submission_sha256(items_[i].source);
        if (!sha256) return sha256.error().message;
        return difference_of(inputs, inputs_of(*items_[i].assignment, *sha256));
    }

    [[nodiscard]] std::vector<record::Rules> rules() const {
        std::vector<record::Rules> out;
        for (const AssignmentSpec& one : course_.assignments)
            out.push_back(record::rules_of(course_, one, inputs_of(one, "")));
        return out;
    }

    /// The GPUs that graded before, where they are the nodes'.
    void learn_device() {
        if (device_) return;
        for (const auto& one : value_of(record_->attempts(sealer_.key)))
            if (!device_ && one.is_ours &&
                record::value_in(one.grading.inputs, "backend") == options_.backend)
                device_ = record::value_in(one.grading.inputs, "device");
    }

    void take_earlier_gradings() {
        learn_device();
        std::vector<record::Grading> of_other_times;
        for (std::size_t i = 0; i < items_.size(); ++i) {
            const BatchItem& item = items_[i];
            const auto* found = attempts_->newest(item);
            if (found == nullptr || found->grading.report.empty()) continue;
            was_graded_[i] = true;
            if (!item.problem.empty()) continue;
            record::Grading then = found->grading;
            const auto sha256 = submission_sha256(item.source);
            if (!sha256 || then.inputs != inputs_of(*item.assignment, *sha256)) continue;
            auto report = report::read_report(then.report);
            if (!found->is_ours || !report || report->student != item.student) {
                distrust(item, "the record's line was not written by this grader for this student");
                continue;
            }
            results_[i].report = std::move(*report);
            numbers_[i] = then.attempt;
            ++done_;
            if (then.handed_in_at == entries_[i].handed_in.at) continue;
            then.handed_in_at = entries_[i].handed_in.at;
            of_other_times.push_back(std::move(then));
        }
        (void)value_of(record_->add(sealer_.key, std::move(of_other_times)));
    }

    /// Report files are views of the record: one that was deleted or changed is written again.
    void write_what_is_missing() {
        const std::vector<record::Row> all = rows();
        for (std::size_t i = 0; i < items_.size(); ++i) {
            if (!results_[i].report) continue;
            for (const fs::path& file : changed_reports(out_, all[i], formats_)) {
                restored_.push_back(
                    fmt::format("{} was not as this grader wrote it", printable(file.string())));
                fmt::print(stderr, "cugrade: warning: {}; it is written again from the record\n",
                           restored_.back());
            }
            check(write_reports(out_, all[i], formats_));
        }
    }

    void distrust(const BatchItem& item, std::string_view why) {
        distrusted_.push_back(
            fmt::format("{} ({}): {}", printable(item.student), item.assignment->id, why));
        fmt::print(stderr, "cugrade: warning: {}; it is graded anew\n", distrusted_.back());
    }

    /// What cannot be graded is not given to the executor.
    void grade_all() {
        const cluster::BatchSide batch{
            .finish =
                [this](std::vector<cluster::Finished> some) { try_to_finish(std::move(some)); },
            .should_stop =
                [this] {
                    const std::lock_guard lock(mutex_);
                    return interrupted() || broken_;
                }};
        std::vector<std::size_t> gradable;
        for (std::size_t i = 0; i < items_.size() && !batch.should_stop(); ++i) {
            if (results_[i].report || !is_chosen_[i]) continue;
            if (items_[i].problem.empty())
                gradable.push_back(i);
            else
                batch.finish({{.item = i, .graded = {.problem = items_[i].problem}}});
        }
        if (gradable.empty() || batch.should_stop()) return;
        try {
            executor_->run(gradable, batch);
        } catch (const HarnessFault& fault) {
            throw Failure(fault.error());  // with its exit code
        }
    }

    void try_to_finish(std::vector<cluster::Finished> some) {
        try {
            finish(std::move(some));
        } catch (const std::exception& error) {
            // Not these submissions' fault: the reports or the gradebook cannot be written.
            const std::lock_guard lock(mutex_);
            if (!broken_) broken_ = Error{.message = error.what()};
        }
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
        // A free thread takes the next submission, so none waits while one is left. Rounded up.
        print(fmt::format(
            "whatever they do, submissions take {:.0f} min at most, and this batch {:.1f} h\n",
            std::ceil(longest_s / 60), std::ceil((all_s / jobs_ + longest_s) / 360) / 10));
    }

    /// What waits for the disk is done for all at once, and not while other threads wait.
    void finish(std::vector<cluster::Finished> some) {
        // Ctrl-C also ended these gradings (the emulated GPU is in the terminal's group): nothing
        // failed.
        if (interrupted()) std::erase_if(some, [](const auto& one) { return !one.graded.report; });
        if (some.empty()) return;
        const std::vector<int> numbers = commit(some);
        std::vector<record::Row> changed;
        {
            const std::lock_guard lock(mutex_);
            for (std::size_t k = 0; k < some.size(); ++k) {
                const std::size_t i = some[k].item;
                results_[i] = std::move(some[k].graded);
                numbers_[i] = numbers[k];
                entries_[i].problem = results_[i].problem;
                ++done_;
                changed.push_back(attempts_->row(entries_[i], newest(i), decisions_));
                print(fmt::format("[{:>{}}/{}] {}", done_, std::to_string(to_do_).size(), to_do_,
                                  line_of(items_[i], results_[i], widths_)));
            }
        }
        check(in_parallel(changed.size(), writers, [&](std::size_t k) {
            return write_reports(out_, changed[k], formats_);
        }));
        write_tables_now_and_then();
    }

    /// While a batch runs, its tables are for people who look how far it is.
    void write_tables_now_and_then() {
        std::vector<record::Row> all;
        {
            const std::lock_guard lock(mutex_);
            const auto now = std::chrono::steady_clock::now();
            if (now - tables_written_ < between_tables) return;
            tables_written_ = now;
            all = rows();
        }
        // One thread may be faster than an earlier one, and what is written last is right in the
        // end: run() writes the tables once more.
        const std::lock_guard lock(tables_mutex_);
        check(record::write_tables(out_, all, roster_.has_value()));
    }

    /// Seals the reports and puts them into the record. Returns the numbers of the attempts.
    std::vector<int> commit(std::vector<cluster::Finished>& some) {
        std::vector<record::Grading> gradings;
        for (auto& [i, result] : some) {
            const BatchItem& item = items_[i];
            if (result.report) result.report = report::sealed(std::move(*result.report), sealer_);
            const auto sha256 = result.report
                                    ? Result<std::string>(result.report->submission_sha256)
                                    : submission_sha256(item.source);
            const std::string digest = sha256 ? *sha256 : "";
            gradings.push_back(
                {.assignment = item.assignment->id,
                 .student = item.student,
                 .submission_sha256 = digest,
                 .inputs = inputs_of(*item.assignment, digest),
                 .graded_at = utc_now(),
                 .report = result.report ? report::write_json(*result.report, {}) : "",
                 .facts = result.facts,
                 .problem = result.problem,
                 .handed_in_at = entries_[i].handed_in.at});
        }
        return value_of(record_->add(sealer_.key, std::move(gradings)));
    }

    /// The attempt of this batch.
    [[nodiscard]] record::Attempt newest(std::size_t i) const {
        return {.number = numbers_[i],
                .handed_in_at = entries_[i].handed_in.at,
                .report = results_[i].report ? &*results_[i].report : nullptr,
                .problem = results_[i].problem};
    }

    /// Those of entries_ come first, in their order.
    [[nodiscard]] std::vector<record::Row> rows() const {
        std::vector<record::Attempt> newest;
        for (std::size_t i = 0; i < items_.size(); ++i) newest.push_back(this->newest(i));
        return attempts_->rows(entries_, newest, decisions_);
    }

    int summarise(const std::vector<record::Row>& all) {
        const BatchTally tally = tally_of(items_, results_);
        std::string text = as_text(tally, to_do_);
        text += fmt::format("\nGradebook:   {}\nReports:     {}\nFor staff:   {}\n",
                            (out_ / "gradebook.csv").string(), (out_ / "reports").string(),
                            class_page_file(out_).string());
        if (names_) text += fmt::format("For students: {}\n", leaderboard_file(out_).string());
        if (roster_) text += record::files_for_lms(out_, all);
        if (options_.secret.empty()) text += fmt::format("\nWARNING: {}\n", no_secret);
        const bool complete = tally.graded == to_do_;
        if (to_do_ < items_.size())
            text += fmt::format("\n{} others are not graded yet, and were not asked for (--only)\n",
                                items_.size() - to_do_);
        text += listed("For a person to decide; what is named earns nothing until then:",
                       tally.to_decide);
        text += listed("Not graded, and nothing is charged to these students:", tally.ungraded);
        text += listed("Graded anew, because the record cannot be trusted:", distrusted_);
        text += listed("Written again from the record:", restored_);
        text += first_of("Passed over, because they are no submissions:", plan_.passed_over);
        text += listed(
            "Marks that are not the newest hand-in's points, or would not be without an extension:",
            adjusted(all));
        text +=
            listed("Late by Canvas, and nothing is taken off: --submitted tells no time of them:",
                   late_by_name(plan_, entries_));
        text += listed("Earlier attempts that do not count:", attempts_->lost(all));
        text +=
            listed("Handed in before, and not any more; reports and pages are removed:", departed_);
        if (roster_) text += about_the_roster(plan_);
        text += listed("Graded as different students, because their names differ:", plan_.alike);
        text += listed("Not graded, as assignments:", plan_.left_out);
        if (!complete)
            text += fmt::format("\n{}The same command with --resume grades the rest.\n",
                                interrupted() ? "Interrupted. " : "");
        print(text);
        if (complete)
            return plan_.broken ? exit_usage : tally.to_decide.empty() ? exit_graded : exit_person;
        bool of_the_course = true;
        for (std::size_t i = 0; i < results_.size(); ++i)
            if (is_chosen_[i] && !results_[i].report) of_the_course &= results_[i].of_the_course;
        return of_the_course ? exit_usage : exit_harness;
    }

    std::optional<config::Cluster> cluster_;  ///< nothing: graded here
    GradeOptions options_;
    Course course_;
    std::optional<record::Roster> roster_;
    fs::path out_;
    std::optional<FolderLock> lock_;
    BatchPlan plan_;
    const std::vector<BatchItem>& items_;  ///< of plan_
    report::Sealer sealer_;
    std::vector<report::Format> formats_;   ///< of the reports
    std::vector<std::string> distrusted_;   ///< earlier gradings, and why they do not count
    std::vector<std::string> restored_;     ///< report files that somebody had changed
    std::vector<std::string> departed_;     ///< whose reports are removed
    std::vector<cluster::Graded> results_;  ///< of items_
    std::vector<int> numbers_;              ///< of items_: of the attempt; 0: not graded yet
    std::vector<bool> is_chosen_;           ///< of items_: may be graded in this run
    std::vector<bool> was_graded_;          ///< of items_: the record has a report
    std::size_t to_do_ = items_.size();     ///< those that are chosen, and those graded before
    std::unique_ptr<Backend> backend_;      ///< null: the nodes' GPUs
    std::optional<std::string> device_;     ///< as reports call it; nothing: not known yet
    SubmissionGrader grader_;
    std::unique_ptr<cluster::Executor> executor_;
    KnownSeconds seconds_;  ///< where order counts
    int jobs_ = 1;
    std::optional<record::Record> record_;
    std::optional<BatchAttempts> attempts_;
    LineWidths widths_;
    std::mutex tables_mutex_;  ///< one writer at a time
    std::mutex mutex_;         ///< guards everything below, results_ and the output
    std::chrono::steady_clock::time_point tables_written_{};
    std::vector<record::Entry> entries_;  ///< of items_, then of who is missing
    std::vector<record::Decision> decisions_;
    std::optional<record::ChosenNames> names_;  ///< of the leaderboard
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
            "Submissions: <student>.cu, <student>.zip or <student>/, or one folder of these per "
            "assignment; or an archive with all of that")
        ->required()
        ->type_name(takes::folder);
    command->add_option("-o,--out", arguments->out, "Folder for reports/ and gradebook.csv")
        ->required()
        ->type_name(takes::folder);
    command
        ->add_option("-a,--assignment", arguments->assignment,
                     "Id of the assignment that all are for; default: by the folders' names")
        ->type_name(takes::assignment);
    arguments->tables.add(*command);
    command
        ->add_option("--only", arguments->only,
                     "Grade this student anew (may be repeated), and keep the others' reports")
        ->take_all();
    command->add_option("--task", arguments->tasks, "Only this task (may be repeated)")
        ->take_all()
        ->type_name(takes::task);
    std::vector<std::string> more;
    for (const report::Format& format : report::formats())
        if (!format.for_everybody) more.emplace_back(format.name);
    command
        ->add_option("-f,--format", arguments->formats,
                     "Write each report in this format, too (may be repeated)")
        ->take_all()
        ->check(one_of(more));
    command->add_flag("--resume", arguments->resume,
                      "Keep the reports that are there and still right");
    command
        ->add_option("--slurm", arguments->slurm,
                     "Grade as jobs of a Slurm cluster, as this cluster.yaml says; --jobs does not "
                     "count then")
        ->type_name(takes::file);
    arguments->choices.is_class = true;
    arguments->choices.add_all(*command);
    arguments->choices.add_sign(*command);
    command->footer(
        "Examples:\n"
        "  cugrade batch submissions/ -a reduction --out graded\n"
        "  cugrade batch class/ --out graded --secret-file secret --resume\n"
        "  cugrade batch class/ --out graded --secret-file secret --slurm cluster.yaml");
    command->callback([arguments, &exit_code] { exit_code = Batch(*arguments).run(); });
}

}  // namespace cugrade::cli
