#include "record/lms.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "record/csv.hpp"
#include "report/format.hpp"

namespace cugrade::record {

std::string canvas_csv(const std::vector<Graded>& all) {
    std::vector<const Report*> assignments;  // one report of each
    std::vector<const Student*> students;
    std::map<std::string_view, std::map<std::string_view, double>> marks;  // by id
    for (const Graded& one : all) {
        if (std::ranges::find(assignments, one.report->assignment, &Report::assignment) ==
            assignments.end())
            assignments.push_back(one.report);
        const auto [of_student, is_new] = marks.try_emplace(one.student->id);
        if (is_new) students.push_back(one.student);
        of_student->second[one.report->assignment] = one.mark.points;
    }
    std::string head = "Student,ID,SIS User ID,SIS Login ID,Section";
    std::string possible = "    Points Possible,,,,";
    for (const Report* report : assignments) {
        head += "," + csv_field(report->assignment_title);
        possible += "," + report::points_text(report->score.possible);
    }
    std::string out = head + "\r\n" + possible + "\r\n";
    for (const Student* student : students) {
        out += fmt::format(
            "{},{},{},,{}", csv_field(student->name.empty() ? student->id : student->name),
            csv_field(student->lms_id), student->lms_id.empty() ? csv_field(student->id) : "",
            csv_field(student->section));
        const auto& of_student = marks.at(student->id);
        for (const Report* report : assignments) {
            const auto mark = of_student.find(report->assignment);
            out += ",";
            if (mark != of_student.end()) out += report::points_text(mark->second);
        }
        out += "\r\n";
    }
    return out;
}

std::string moodle_csv(const std::vector<Graded>& all) {
    std::string out =
        "Identifier,Full name,Email address,Grade,Maximum Grade,Last modified (grade),"
        "Feedback comments\r\n";
    for (const Graded& one : all) {
        if (one.participant.empty()) continue;
        out += fmt::format("Participant {},{},{},{},{},,{}\r\n", one.participant,
                           csv_field(one.student->name), csv_field(one.student->email),
                           report::points_text(one.mark.points),
                           report::points_text(one.report->score.possible),
                           csv_field(report::score_line(*one.report) +
                                     (one.mark.why.empty() ? "" : "; " + one.mark.why)));
    }
    return out;
}

}  // namespace cugrade::record
