#include "record/lms.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "record/csv.hpp"
#include "report/format.hpp"

namespace cugrade::record {

std::string canvas_csv(const std::vector<Row>& rows) {
    std::vector<const Row*> assignments;  // one row of each
    std::vector<const Student*> students;
    std::map<std::string_view, std::map<std::string_view, double>> marks;  // by id
    for (const Row& row : rows) {
        if (!row.entry.listed || !row.mark) continue;
        if (std::ranges::none_of(assignments, [&](const Row* one) {
                return one->entry.assignment == row.entry.assignment;
            }))
            assignments.push_back(&row);
        const auto [of_student, is_new] = marks.try_emplace(row.entry.listed->id);
        if (is_new) students.push_back(&*row.entry.listed);
        of_student->second[row.entry.assignment] = row.mark->points;
    }
    std::string head = "Student,ID,SIS User ID,SIS Login ID,Section";
    std::string possible = "    Points Possible,,,,";
    for (const Row* one : assignments) {
        head += "," + csv_field(title_of(*one));
        possible += "," + report::points_text(possible_of(*one));
    }
    std::string out = head + "\r\n" + possible + "\r\n";
    for (const Student* student : students) {
        out += fmt::format(
            "{},{},{},,{}", csv_field(student->name.empty() ? student->id : student->name),
            csv_field(student->lms_id), student->lms_id.empty() ? csv_field(student->id) : "",
            csv_field(student->section));
        const auto& of_student = marks.at(student->id);
        for (const Row* one : assignments) {
            const auto mark = of_student.find(one->entry.assignment);
            out += ",";
            if (mark != of_student.end()) out += report::points_text(mark->second);
        }
        out += "\r\n";
    }
    return out;
}

std::string moodle_csv(const std::vector<Row>& rows) {
    std::string out =
        "Identifier,Full name,Email address,Grade,Maximum Grade,Last modified (grade),"
        "Feedback comments\r\n";
    for (const Row& row : rows) {
        if (row.entry.participant.empty() || !row.mark) continue;
        const Student who = row.entry.listed.value_or(Student{});
        std::string comment = row.report != nullptr ? report::score_line(*row.report) : "";
        if (!row.mark->why.empty()) comment += (comment.empty() ? "" : "; ") + row.mark->why;
        out += fmt::format("Participant {},{},{},{},{},,{}\r\n", row.entry.participant,
                           csv_field(who.name), csv_field(who.email),
                           report::points_text(row.mark->points),
                           report::points_text(possible_of(row)), csv_field(comment));
    }
    return out;
}

}  // namespace cugrade::record
