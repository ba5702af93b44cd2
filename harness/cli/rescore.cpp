// Computes a class's points anew under another policy, from the record: nothing is run.
#include <algorithm>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "build/course.hpp"
#include "cli/choices.hpp"
#include "cli/class_files.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/folder_lock.hpp"
#include "cli/terminal.hpp"
#include "core/files.hpp"
#include "core/home.hpp"
#include "core/printable.hpp"
#include "core/utc.hpp"
#include "datasets/seeds.hpp"
#include "record/changes.hpp"
#include "record/facts.hpp"
#include "record/inputs.hpp"
#include "record/record.hpp"
#include "record/tables.hpp"
#include "report/format.hpp"
#include "report/formats.hpp"
#include "report/seal.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;
using record::Standing;

struct RescoreArguments {
    std::string folder;
    std::string out;  ///< empty: the folder itself
    GradingChoices choices;
};

class Rescoring {
public:
    explicit Rescoring(const RescoreArguments& arguments)
        : course_(value_of(Course::load(value_of(Home::find()), arguments.choices.policy))),
          from_(arguments.folder),
          out_(arguments.out.empty() ? from_ : fs::path(arguments.out)),
          policy_(course_.policy.file),
          sealer_(value_of(arguments.choices.sealer())) {
        const record::Record record = value_of(record::Record::existing(from_));
        std::error_code error;
        if (out_ != from_ && fs::exists(record::record_file(out_), error))
            throw Failure(Error{.kind = ErrorKind::usage,
                                .message = "there is a graded class already",
                                .file = out_.string(),
                                .remedy = "give another --out"});
        check(make_folders(out_));
        lock_.emplace(out_);
        before_ = value_of(record::standings(record, sealer_.key));
        entries_ = value_of(record.entries());
        decisions_ = value_of(record.decisions(sealer_.key));
    }

    int run() {
        std::vector<std::string> to_grade;
        std::vector<record::Grading> gradings;
        for (const Standing& standing : before_) {
            after_.push_back(standing);
            if (!standing.report) {
                if (out_ != from_) gradings.push_back(standing.grading);
                continue;
            }
            auto report = rescored(standing);
            if (!report) {
                to_grade.push_back(fmt::format("{} ({}): {}", printable(standing.grading.student),
                                               standing.grading.assignment,
                                               report.error().message));
                continue;
            }
            after_.back().report = report::sealed(*std::move(report), sealer_);
            record::Grading& now = after_.back().grading;
            now.inputs = record::with_value(now.inputs, "policy", course_.policy.sha256);
            now.graded_at = utc_now();
            now.report = report::write_json(*after_.back().report, {});
            gradings.push_back(now);
        }
        if (!to_grade.empty()) refuse(to_grade);
        write(std::move(gradings));
        return say();
    }

private:
    [[nodiscard]] Result<Report> rescored(const Standing& standing) const {
        const record::Grading& then = standing.grading;
        const auto of =
            std::ranges::find(course_.assignments, then.assignment, &AssignmentSpec::id);
        const auto differ = [](const char* what) {
            return Error{.kind = ErrorKind::usage, .message = what};
        };
        if (of == course_.assignments.end()) return differ("the policy does not grade it");
        const auto file = read_file(of->folder / "assignment.yaml");
        if (!file) return file.error();
        if (record::value_in(then.inputs, "assignment") != datasets::sha256(*file))
            return differ("its assignment.yaml is another one now");
        if (record::value_in(then.inputs, "rules") != record::run_rules(course_.policy, *of))
            return differ(
                "the policy has other limits, rules on source or modelled GPU, under "
                "which it has not run");
        const bool all_tasks = record::value_in(then.inputs, "task").empty();
        for (const TaskSpec& task : of->tasks)
            if (all_tasks && std::ranges::find(standing.report->tasks, task.name,
                                               &TaskReport::name) == standing.report->tasks.end())
                return differ("the policy has a task that was not graded");
        return record::rescored(*standing.report, then.facts, *of, course_.policy);
    }

    [[noreturn]] void refuse(const std::vector<std::string>& to_grade) const {
        constexpr std::size_t most = 10;
        std::string text = fmt::format(
            "{} of {} have to be graded under this policy:", to_grade.size(), before_.size());
        for (std::size_t i = 0; i < std::min(most, to_grade.size()); ++i)
            text += "\n    " + to_grade[i];
        if (to_grade.size() > most)
            text += fmt::format("\n    and {} more", to_grade.size() - most);
        throw Failure(Error{.kind = ErrorKind::usage,
                            .message = text,
                            .file = policy_,
                            .remedy = "nothing was changed; grade the class with `cugrade batch "
                                      "--resume` and this policy"});
    }

    /// The record first: the files are views of it, and a later batch --resume writes those that a
    /// kill leaves out.
    void write(std::vector<record::Grading> gradings) {
        record::Record record = value_of(record::Record::open(out_));
        if (out_ != from_) check(record.set_entries(entries_));
        check(record.add(sealer_.key, std::move(gradings)));
        if (out_ != from_)
            for (const record::Decision& decision : decisions_)
                check(record.decide(sealer_.key, decision));
        std::vector<Job> jobs;
        for (const Standing& standing : after_) {
            if (!standing.report) continue;
            for (const report::Format& format : report::formats()) {
                const fs::path file = record::report_file(
                    standing.grading.assignment, standing.grading.student, format.extension);
                check(make_folders((out_ / file).parent_path()));
                std::error_code error;
                if (format.for_everybody || fs::exists(from_ / file, error))
                    jobs.push_back({out_ / file, &format, &*standing.report});
            }
        }
        write_all(jobs);
        rows_ = record::rows_of(entries_, after_, course_.policy, decisions_);
        check(record::write_tables(out_, rows_, record::has_roster(entries_)));
        check(write_class_pages(out_, record::class_view(rows_, course_.policy)));
    }

    struct Job {
        fs::path file;
        const report::Format* format;
        const Report* report;
    };
    /// Each file waits for the disk, so several at once.
    static void write_all(const std::vector<Job>& jobs) {
        constexpr std::size_t at_once = 16;
        std::vector<std::thread> threads;
        std::vector<Status> statuses(at_once, Done{});
        for (std::size_t t = 0; t < at_once; ++t)
            threads.emplace_back([&, t] {
                for (std::size_t i = t; i < jobs.size() && statuses[t]; i += at_once)
                    statuses[t] =
                        write_atomically(jobs[i].file, jobs[i].format->write(*jobs[i].report, {}));
            });
        for (std::thread& thread : threads) thread.join();
        for (const Status& status : statuses) check(status);
    }

    int say() {
        const auto changed = record::changes(before_, after_);
        std::string text = fmt::format("{} rescored, {} have other points{}\n", before_.size(),
                                       changed.size(), changed.empty() ? "" : ":");
        for (const record::Change& change : changed) text += "  " + record::text_of(change) + "\n";
        text += fmt::format("\nGradebook:   {}\nReports:     {}\n",
                            (out_ / "gradebook.csv").string(), (out_ / "reports").string());
        if (record::has_roster(entries_)) text += record::files_for_lms(out_, rows_);
        print(text);
        return exit_graded;
    }

    Course course_;
    fs::path from_, out_;
    std::string policy_;
    report::Sealer sealer_;
    std::optional<FolderLock> lock_;
    std::vector<Standing> before_, after_;
    std::vector<record::Entry> entries_;
    std::vector<record::Decision> decisions_;
    std::vector<record::Row> rows_;
};

}  // namespace

void add_rescore(CLI::App& app, int& exit_code) {
    CLI::App* command = app.add_subcommand(
        "rescore", "Compute a class's points under another policy, without running anything");
    const auto arguments = std::make_shared<RescoreArguments>();
    command->add_option("folder", arguments->folder, "What `cugrade batch --out` has written")
        ->required()
        ->type_name(takes::folder);
    command
        ->add_option("--policy", arguments->choices.policy,
                     "The policy; default: grading.yaml of the course")
        ->type_name(takes::file);
    command
        ->add_option("-o,--out", arguments->out,
                     "Write into this folder, and leave the other as it is")
        ->type_name(takes::folder);
    arguments->choices.add_sign(*command);
    command->footer(
        "Examples:\n"
        "  cugrade rescore graded --policy grading.yaml\n"
        "  cugrade rescore graded --policy new.yaml --out rescored");
    command->callback([arguments, &exit_code] { exit_code = Rescoring(*arguments).run(); });
}

}  // namespace cugrade::cli
