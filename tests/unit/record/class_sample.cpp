#include "record/class_sample.hpp"

#include <fstream>

#include <fmt/format.h>

#include "record/class_page.hpp"
#include "record/leaderboard.hpp"

namespace cugrade::record {
namespace {

void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

CaseOutcome case_of(int id, Verdict verdict, std::size_t number) {
    CaseOutcome out;
    out.id = id;
    out.visibility = id == 3 ? Visibility::hidden : Visibility::open;
    out.verdict = verdict;
    out.description = fmt::format("n={} in=uniform", 1000 * id);
    if (verdict == Verdict::wrong_answer)
        out.pattern = fmt::format(
            "Only the last {} of 3000 elements of `out` are wrong: a partial "
            "block.",
            number);
    if (verdict == Verdict::data_race) {
        out.message = "two threads write `total` without an order";
        out.findings = {{.kind = "shared_race", .message = out.message}};
        out.location = SourceLocation{"student.cu", 17, 5};
    }
    if (verdict == Verdict::suspicious) out.message = "the process dies";
    return out;
}

/// Every second student has chosen one.
ChosenNames names_of(const ClassView& view) {
    ChosenNames out;
    for (std::size_t n = 0; n < view.rows.size(); n += 2)
        out.of[view.rows[n].entry.student] = fmt::format("Warp {}", n);
    return out;
}

}  // namespace

Report sample_of(std::size_t number, std::size_t tasks) {
    const std::size_t digit = number % 10;
    const Verdict verdict = digit == 2   ? Verdict::suspicious
                            : digit == 3 ? Verdict::wrong_answer
                            : digit == 4 ? Verdict::data_race
                                         : Verdict::accepted;
    Report out;
    out.assignment = "scan";
    out.assignment_title = "Prefix sums";
    out.submission_file = "student.cu";
    out.provenance.backend = "emulator";
    out.provenance.device = "emulated GPU, compute_75";
    out.verdict = verdict;
    out.replay = "cugrade check student.cu -a scan --backend emulator";
    out.seconds = 2 + static_cast<double>(number % 37) / 4;
    for (std::size_t t = 0; t < tasks; ++t) {
        const bool is_wrong = t == 0 && verdict != Verdict::accepted;
        TaskReport task;
        task.name = t == 0 ? "inclusive_int" : fmt::format("task_{}", t + 1);
        task.title = "A prefix sum";
        task.verdict = is_wrong ? verdict : Verdict::accepted;
        task.score = {.earned = is_wrong ? 0.0 : 20, .judged = 20, .possible = 20};
        for (int id = 1; id <= 3; ++id)
            task.outcome.cases.push_back(
                case_of(id, id == 3 ? task.verdict : Verdict::accepted, number));
        if (verdict == Verdict::accepted) {
            const std::size_t reached = digit % 5;  // of 0, 5, 6, 7, 8, 9: which tiers
            task.outcome.timing.emplace();
            task.outcome.timing->basis = TimingOutcome::Basis::modelled;
            task.outcome.timing->speedup =
                reached == 0 ? 1 : static_cast<double>(reached * 3 + number % 100) / 2 + 1;
            task.credit = reached == 0 ? 0 : reached < 3 ? 0.25 : 1;
        }
        out.score.earned += task.score.earned;
        out.score.judged += task.score.judged;
        out.score.possible += task.score.possible;
        out.tasks.push_back(std::move(task));
    }
    return out;
}

SampleClass::SampleClass(std::size_t students, std::size_t tasks) {
    AssignmentPolicy& policy = policy_.assignments["scan"];
    for (const TaskReport& task : sample_of(3, tasks).tasks)
        policy.tasks[task.name].tiers = {{.speedup = 2, .credit = 0.25},
                                         {.speedup = 8, .credit = 1}};
    view_.policy = &policy_;
    for (std::size_t n = 0; n < students; ++n) {
        const std::string id = fmt::format("s{:04}", n);
        Row row{.entry = {.assignment = "scan",
                          .student = id,
                          .listed = Student{.id = id,
                                            .name = fmt::format("Student, Number {}", n),
                                            .lms_id = "",
                                            .section = n % 2 == 0 ? "A" : "B",
                                            .email = ""}}};
        if (n % 10 == 0)
            row.entry.problem = "two submissions";
        else if (n % 10 == 1)
            row.entry.is_missing = true;
        else
            hand_in(row, n, tasks);
        view_.rows.push_back(std::move(row));
    }
}

/// Every third of them has handed in before, and that attempt counts for less.
void SampleClass::hand_in(Row& row, std::size_t number, std::size_t tasks) {
    row.report = &reports_.emplace_back(sample_of(number, tasks));
    row.mark = Mark{.points = row.report->score.earned, .why = {}};
    if (number % 3 == 0)
        row.attempts.push_back({.number = 1,
                                .handed_in_at = 1795989600,
                                .report = &reports_.emplace_back(sample_of(3, tasks)),
                                .mark = {.points = 1, .why = "1 day late: 2 -> 1"}});
    row.attempts.push_back({.number = static_cast<int>(row.attempts.size()) + 1,
                            .report = row.report,
                            .mark = *row.mark,
                            .counts = true});
}

void write_sample_class(const std::filesystem::path& folder) {
    const SampleClass small(30, 3), large(1000, 5);
    for (const auto& [name, sample] : {std::pair{"small", &small}, std::pair{"large", &large}}) {
        ClassView view = sample->view();
        GradingPolicy policy = *view.policy;
        policy.leaderboard.emplace();
        view.policy = &policy;
        const ChosenNames chosen = names_of(view);
        view.chosen_names = &chosen;
        write(folder / name / "leaderboard.html", leaderboard_page(view));
        write(folder / name / "index.html", class_page(view));
        for (const Row& row : view.rows)
            if (!row.entry.is_missing) write(folder / name / page_file(row), student_page(row));
    }
}

}  // namespace cugrade::record
