// The rows of a class: a student at an assignment, with what was handed in, which attempt counts
// and what it is worth. Gradebook, marks for other systems, pages and comparisons are all made of
// these.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/report.hpp"
#include "record/attempts.hpp"
#include "record/record.hpp"
#include "seal/key.hpp"

namespace cugrade::record {

struct Row {
    Entry entry;
    std::string title = {};              ///< of the assignment; empty: not known
    double possible = 0;                 ///< points of the assignment, where there is no report
    std::vector<Attempt> attempts = {};  ///< oldest first
    const Report* report = nullptr;      ///< of the attempt that counts; null: none does
    std::optional<Mark> mark = {};       ///< nothing: neither report nor decision
    std::optional<Decision> decided = {};
    Attempts rule = Attempts::last;  ///< which attempt counts
};

/// It is handed in, and not graded yet.
[[nodiscard]] bool is_pending(const Row&);
/// The attempt that counts; null: none.
[[nodiscard]] const Attempt* counted(const Row&);
/// Of the assignment: the report's, or else the policy's; as last resort its id.
[[nodiscard]] std::string title_of(const Row&);
[[nodiscard]] double possible_of(const Row&);

/// Where the report of an attempt lies, seen from the folder of the class: what counts is in
/// reports/ (report_file()), the others are in attempts/.
[[nodiscard]] std::string attempt_file(const Entry&, const Attempt&, std::string_view extension);

/// An attempt's last grading, read back.
struct Standing {
    Grading grading;
    std::optional<Report> report;  ///< absent: it could not be graded
};

/// By assignment, student and attempt. Errors: a line was not written by the grader with this key,
/// or its report cannot be read.
[[nodiscard]] Result<std::vector<Standing>> standings(const Record&, const seal::Key&);

/// Assignment and student.
using Who = std::pair<std::string, std::string>;
using AttemptsOf = std::map<Who, std::vector<Attempt>>;
/// The standings have to outlive it. Without rules of an assignment, its attempts are compared with
/// the newest one that is graded.
[[nodiscard]] AttemptsOf attempts_of(const std::vector<Standing>&, const std::vector<Rules>&);

/// One row for each entry, and one for each decision about somebody in the class who has no entry
/// for that assignment, such as an exam on paper. Attempts of who is missing do not count: the
/// hand-in was taken back.
[[nodiscard]] std::vector<Row> rows_of(const std::vector<Entry>&, const AttemptsOf&,
                                       const std::vector<Rules>&, const std::vector<Decision>&);

/// A class as its record has it.
struct Class {
    std::vector<Entry> entries;
    std::vector<Standing> standings;
    std::vector<Rules> rules;
    std::vector<Decision> decisions;
    /// Their reports are those of the standings, which have to stay where they are.
    [[nodiscard]] std::vector<Row> rows() const;
};
[[nodiscard]] Result<Class> read_class(const Record&, const seal::Key&);

/// The rules of an assignment; null: there are none.
[[nodiscard]] const Rules* find(const std::vector<Rules>&, std::string_view assignment);

}  // namespace cugrade::record
