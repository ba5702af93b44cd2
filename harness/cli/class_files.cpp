#include "cli/class_files.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "cli/files.hpp"
#include "core/files.hpp"
#include "core/in_parallel.hpp"
#include "record/class_page.hpp"
#include "record/leaderboard.hpp"
#include "report/hints.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

/// All of it is in the record, from which --resume writes again what is not as it was written.
Status write_if_changed(const fs::path& file, std::string_view text) {
    if (const auto there = read_file(file); there && *there == text) return Done{};
    return write_view(file, text);
}

/// The record and the pages for staff keep all of it.
Report student_report(const Report& all, const HandingOut& handing_out) {
    const auto policy = handing_out.policy.assignments.find(all.assignment);
    if (policy == handing_out.policy.assignments.end() || policy->second.hints == Hints::proof)
        return all;
    return report::sealed(report::for_student(all, policy->second.hints), handing_out.sealer);
}

std::string text_of(const report::Format& format, const Report& all,
                    const HandingOut& handing_out) {
    return format.write(student_report(all, handing_out),
                        {.policy = report::policy_of(all, &handing_out.policy)});
}

/// An old one is removed first: what the policy no longer asks for may not be handed out.
Status write_leaderboard(const fs::path& out, const record::ClassView& view) {
    const fs::path file = leaderboard_file(out);
    if (view.chosen_names != nullptr) return write_if_changed(file, record::leaderboard_page(view));
    std::error_code error;
    fs::remove(file, error);
    return error ? Status(cannot("remove", file, error.value())) : Done{};
}

}  // namespace

Status write_reports(const fs::path& out, const record::Row& row,
                     const std::vector<report::Format>& formats, const HandingOut& handing_out) {
    using record::Attempt;
    std::error_code ignored;
    for (const report::Format& format : formats) {
        if (record::counted(row) == nullptr)
            fs::remove(out / record::report_file(row.entry.assignment, row.entry.student,
                                                 format.extension),
                       ignored);
        for (const Attempt& one : row.attempts) {
            const fs::path file = out / record::attempt_file(row.entry, one, format.extension);
            // Where it lies while another one counts.
            Attempt other = one;
            other.counts = false;
            if (one.counts || one.report == nullptr)
                fs::remove(out / record::attempt_file(row.entry, other, format.extension), ignored);
            if (one.report == nullptr) continue;
            if (Status made = make_folders(file.parent_path()); !made) return made;
            const std::string text = text_of(format, *one.report, handing_out);
            if (Status written = write_if_changed(file, text); !written) return written;
        }
    }
    // It is empty where one attempt alone has a report.
    fs::remove(out / "attempts" / row.entry.assignment / row.entry.student, ignored);
    return Done{};
}

std::vector<fs::path> changed_reports(const fs::path& out, const record::Row& row,
                                      const std::vector<report::Format>& formats,
                                      const HandingOut& handing_out) {
    std::vector<fs::path> changed;
    for (const report::Format& format : formats) {
        const fs::path file =
            out / record::report_file(row.entry.assignment, row.entry.student, format.extension);
        const auto there = read_file(file);
        if (there && std::ranges::none_of(row.attempts, [&](const record::Attempt& one) {
                return one.report != nullptr && text_of(format, *one.report, handing_out) == *there;
            }))
            changed.push_back(file);
    }
    return changed;
}

void remove_unfinished_attempts(const fs::path& out) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(out / "attempts", error), end; !error && it != end;
         it.increment(error))
        if (it.depth() == 1) remove_unfinished_files(it->path());
}

bool remove_student(const fs::path& out, const record::Who& who) {
    const auto& [assignment, student] = who;
    std::error_code ignored;
    bool any = false;
    for (const report::Format& format : report::formats())
        any |=
            fs::remove(out / record::report_file(assignment, student, format.extension), ignored);
    any |= fs::remove(
        out / record::page_file(
                  {.entry = {.assignment = assignment, .student = student, .listed = {}}}),
        ignored);
    const auto attempts = fs::remove_all(out / "attempts" / assignment / student, ignored);
    return any || (attempts > 0 && !ignored);
}

fs::path leaderboard_file(const fs::path& out) { return out / "leaderboard.html"; }

fs::path class_page_file(const fs::path& out) { return out / "index.html"; }

std::string files_of_class(const fs::path& out, bool has_leaderboard) {
    std::string text = fmt::format("Gradebook:   {}\nReports:     {}\nFor staff:   {}\n",
                                   (out / "gradebook.csv").string(), (out / "reports").string(),
                                   class_page_file(out).string());
    if (has_leaderboard) text += fmt::format("For students: {}\n", leaderboard_file(out).string());
    return text;
}

Status write_class_pages(const fs::path& out, const record::ClassView& view) {
    std::set<fs::path> folders;
    for (const record::Row& row : view.rows) {
        if (row.entry.is_missing) continue;
        const fs::path folder = (out / record::page_file(row)).parent_path();
        if (!folders.insert(folder).second) continue;
        if (Status made = make_folders(folder); !made) return made;
        remove_unfinished_files(folder);
    }
    const Status pages = in_parallel(view.rows.size(), writers, [&](std::size_t i) -> Status {
        const record::Row& row = view.rows[i];
        if (row.entry.is_missing) return Done{};
        return write_if_changed(out / record::page_file(row),
                                record::student_page(row, view.policy));
    });
    if (!pages) return pages;
    if (Status status = write_leaderboard(out, view); !status) return status;
    return write_if_changed(class_page_file(out), record::class_page(view));
}

}  // namespace cugrade::cli
