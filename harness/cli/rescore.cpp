// Computes a class's points anew under another policy, from the record: nothing is run.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "build/course.hpp"
#include "cli/choices.hpp"
#include "cli/class_files.hpp"
#include "cli/class_tables.hpp"
#include "cli/command_table.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/folder_lock.hpp"
#include "cli/terminal.hpp"
#include "core/files.hpp"
#include "core/home.hpp"
#include "core/in_parallel.hpp"
#include "core/printable.hpp"
#include "record/changes.hpp"
#include "record/inputs.hpp"
#include "record/record.hpp"
#include "record/rescoring.hpp"
#include "record/tables.hpp"
#include "report/format.hpp"
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
        before_ = value_of(record::read_class(record, sealer_.key));
        after_ = before_;
        names_ = read_chosen_names(course_.policy, before_.entries);
    }

    int run() {
        std::vector<std::string> to_grade;
        std::vector<record::Grading> gradings;
        std::map<std::string, std::string> inputs;  // one of each assignment
        for (const record::Rules& rules : before_.rules)
            inputs[rules.assignment] =
                record::with_value(rules.inputs, "policy", course_.policy.sha256);
        const auto needed = needed_attempts();
        for (Standing& standing : after_.standings) {
            if (standing.report) {
                auto now = record::rescored(standing, course_, sealer_);
                if (now) {
                    standing = *std::move(now);
                    inputs[standing.grading.assignment] = standing.grading.inputs;
                } else if (needed.contains({who(standing), standing.grading.attempt})) {
                    to_grade.push_back(
                        fmt::format("{} ({}): {}", printable(standing.grading.student),
                                    standing.grading.assignment, now.error().message));
                    continue;
                } else if (out_ == from_) {
                    continue;  // it counted under no rule of the class, and stays as it is
                }
            } else if (out_ == from_) {
                continue;
            }
            gradings.push_back(standing.grading);
        }
        if (!to_grade.empty()) refuse(to_grade);
        after_.rules.clear();
        for (const auto& [id, lines] : inputs)
            if (const AssignmentSpec* of = course_.find(id); of != nullptr)
                after_.rules.push_back(record::rules_of(course_, *of, lines));
        write(std::move(gradings));
        return say();
    }

private:
    static record::Who who(const Standing& one) {
        return {one.grading.assignment, one.grading.student};
    }

    /// Attempts whose points have to be known: the one that counts today, and each student's
    /// newest.
    [[nodiscard]] std::set<std::pair<record::Who, int>> needed_attempts() const {
        std::set<std::pair<record::Who, int>> out;
        std::map<record::Who, int> newest;
        for (const Standing& one : before_.standings)
            if (one.report) newest[who(one)] = one.grading.attempt;
        for (const auto& one : newest) out.insert(one);
        for (const record::Row& row : before_.rows())
            if (const record::Attempt* one = record::counted(row))
                out.insert({{row.entry.assignment, row.entry.student}, one->number});
        return out;
    }

    [[noreturn]] void refuse(const std::vector<std::string>& to_grade) const {
        constexpr std::size_t most = 10;
        std::string text =
            fmt::format("{} of {} have to be graded under this policy:", to_grade.size(),
                        before_.standings.size());
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
        if (out_ != from_) check(record.set_class(after_.entries, after_.rules));
        (void)value_of(record.add(sealer_.key, std::move(gradings), &after_.rules));
        if (out_ != from_)
            for (const record::Decision& decision : after_.decisions)
                check(record.decide(sealer_.key, decision));
        rows_ = after_.rows();
        write_all_reports();
        check(record::write_tables(out_, rows_, record::has_roster(after_.entries)));
        check(write_class_pages(out_, {.rows = rows_,
                                       .policy = &course_.policy,
                                       .distrusted = {},
                                       .chosen_names = names_ ? &*names_ : nullptr}));
    }

    /// The formats that a student's reports have: those for everybody, and others that are there.
    [[nodiscard]] std::vector<report::Format> formats_of(const record::Entry& entry) const {
        std::vector<report::Format> out;
        for (const report::Format& format : report::formats()) {
            std::error_code error;
            if (format.for_everybody ||
                fs::exists(
                    from_ / record::report_file(entry.assignment, entry.student, format.extension),
                    error))
                out.push_back(format);
        }
        return out;
    }

    /// Each file waits for the disk, so several at once.
    void write_all_reports() const {
        check(in_parallel(rows_.size(), writers, [&](std::size_t i) {
            return write_reports(out_, rows_[i], formats_of(rows_[i].entry),
                                 {.policy = course_.policy, .sealer = sealer_});
        }));
    }

    int say() {
        const auto changed = record::changes(before_, after_);
        std::string text =
            fmt::format("{} rescored, {} have other points{}\n",
                        std::ranges::count_if(
                            rows_, [](const record::Row& row) { return row.report != nullptr; }),
                        changed.size(), changed.empty() ? "" : ":");
        for (const record::Change& change : changed) text += "  " + record::text_of(change) + "\n";
        text += "\n" + files_of_class(out_, names_.has_value()) +
                record::files_for_lms(out_, rows_, record::has_roster(after_.entries));
        print(text);
        return exit_graded;
    }

    Course course_;
    fs::path from_, out_;
    std::string policy_;
    report::Sealer sealer_;
    std::optional<FolderLock> lock_;
    record::Class before_, after_;
    std::vector<record::Row> rows_;             ///< of after_
    std::optional<record::ChosenNames> names_;  ///< of the leaderboard
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
                     "The policy by which points are computed from now on")
        ->required()
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
