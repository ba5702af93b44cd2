#include "record/roster.hpp"

#include <algorithm>
#include <map>
#include <regex>
#include <utility>

#include <fmt/format.h>

#include "build/build_submission.hpp"
#include "core/ascii.hpp"
#include "core/printable.hpp"
#include "record/alike.hpp"
#include "record/csv.hpp"

namespace cugrade::record {
namespace {

using Field = std::string Student::*;

constexpr std::pair<std::string_view, Field> columns[] = {{"id", &Student::id},
                                                          {"name", &Student::name},
                                                          {"lms_id", &Student::lms_id},
                                                          {"section", &Student::section},
                                                          {"email", &Student::email}};

const CsvColumns of_a_roster{.table = "a roster",
                             .columns = {"id", "name", "lms_id", "section", "email", "group"},
                             .required = {"id"},
                             .example = "id,name,email"};

Student student_of(const CsvRow& names, const CsvRow& row) {
    Student out;
    for (const auto& [name, field] : columns)
        if (const auto at = column_of(names, name)) out.*field = row.fields[*at];
    return out;
}

/// The one student whose key this is; `name` is for the problem if there are several.
template <class Key>
Named only(const std::vector<Student>& students, std::string_view name, std::string_view key,
           Key&& key_of) {
    Named out;
    for (std::size_t i = 0; i < students.size(); ++i) {
        if (key_of(i) != key) continue;
        if (out.student != nullptr)
            return {.problem = fmt::format("{} may be {} or {}; call it by the id", name,
                                           out.student->id, students[i].id)};
        out.student = &students[i];
    }
    return out;
}

std::string in_small_letters(std::string text) {
    std::ranges::transform(text, text.begin(), to_small);
    return text;
}

}  // namespace

std::optional<MoodleName> moodle_name(const std::string& text) {
    static const std::regex moodle("([^_]+)_(\\d+)_assignsubmission_file_?.*");
    std::smatch part;
    if (!std::regex_match(text, part, moodle)) return std::nullopt;
    return MoodleName{part[1].str(), part[2].str()};
}

bool are_of_a_class(const std::vector<std::string>& names) {
    // Students call files of their own conv_3_3_tiled.cu, and Canvas counts on from the first.
    static const std::regex canvas_of_many("[^_]+(_LATE)?_\\d{4,}_\\d{4,}_.*");
    return std::ranges::any_of(names,
                               [](const auto& one) { return moodle_name(one).has_value(); }) ||
           std::ranges::count_if(names, [](const std::string& one) {
               return std::regex_match(one, canvas_of_many);
           }) > 1;
}

std::string word_for_hidden_names(const std::vector<std::string>& names) {
    std::string word;
    int count = 0;
    for (const std::string& name : names) {
        const auto moodle = moodle_name(name);
        if (!moodle) continue;
        if (++count > 1 && moodle->name != word) return "";
        word = moodle->name;
    }
    return count > 1 || word == "Participant" ? word : "";
}

const std::string& id_of(const Submitter& who) {
    if (!who.sid.empty()) return who.sid;
    return who.email.empty() ? who.name : who.email;
}

Result<Roster> Roster::read(std::string_view text, const std::string& file) {
    const auto rows = read_csv(text, file);
    if (!rows) return rows.error();
    if (rows->empty())
        return wrong_table(file, 0, "the roster is empty",
                           "begin the file with a line of names, such as id,name,email");
    if (auto status = check_columns(rows->front(), of_a_roster, file); !status)
        return status.error();
    Roster out;
    std::map<std::string, int> lines;
    for (std::size_t r = 1; r < rows->size(); ++r) {
        const CsvRow& row = (*rows)[r];
        Student student = student_of(rows->front(), row);
        if (student.id.empty())
            return wrong_table(file, row.line, "a student without an id",
                               "fill in the column `id`");
        for (const auto& [name, field] :
             {std::pair("id", &Student::id), {"lms_id", &Student::lms_id}})
            if (const std::string& key = student.*field; is_formula(key))
                return wrong_table(file, row.line,
                                   fmt::format("the {} {} begins like a formula of a spreadsheet",
                                               name, printable(key)),
                                   "give another one: other systems find students by it, and an "
                                   "apostrophe in front would make it another text");
        const auto [same, is_new] = lines.try_emplace(safe_name(student.id), row.line);
        if (!is_new)
            return wrong_table(
                file, row.line,
                fmt::format("the id {} is that of line {}, too", student.id, same->second),
                "give every student an id of one's own");
        out.safe_ids_.push_back(same->first);
        out.read_names_.push_back(as_read(student.name));
        const auto group = column_of(rows->front(), "group");
        out.groups_.push_back(group ? as_read(row.fields[*group]) : "");
        out.students_.push_back(std::move(student));
    }
    return out;
}

Named Roster::whose(std::string_view name) const {
    const auto by_id = only(students_, name, safe_name(name),
                            [&](std::size_t i) -> const std::string& { return safe_ids_[i]; });
    if (by_id.student != nullptr) return by_id;
    const std::string text(name);
    if (const auto moodle = moodle_name(text)) {
        if (std::ranges::all_of(students_, [](const Student& one) { return one.name.empty(); }))
            return {.problem =
                        "Moodle names hand-ins by the students' names, and the roster has "
                        "none: add the column name",
                    .needs_column = true};
        return by_name(name, moodle->name, moodle->number);
    }
    static const std::regex canvas("[^_]+(_LATE)?_(\\d+)_\\d+_.*");
    if (std::smatch part; std::regex_match(text, part, canvas)) {
        if (std::ranges::all_of(students_, [](const Student& one) { return one.lms_id.empty(); }))
            return {.problem =
                        "Canvas names hand-ins by its own numbers of students, and the "
                        "roster has none: add the column lms_id",
                    .needs_column = true};
        Named out = only(students_, name, part[2].str(),
                         [&](std::size_t i) -> const std::string& { return students_[i].lms_id; });
        out.is_late = part[1].matched;
        return out;
    }
    return {};
}

/// A number is that of the student's hand-in only where the name is a student's: since Moodle 4.1
/// that of a group's hand-in is the group's.
Named Roster::by_name(std::string_view hand_in, std::string_view name,
                      const std::string& number) const {
    const auto read_name = [&](std::size_t i) -> const std::string& { return read_names_[i]; };
    Named out = only(students_, hand_in, as_read(name), read_name);
    // Older ones write "Group A-Ada Lovelace", and names have hyphens, too.
    for (std::size_t at = name.find('-');
         at != std::string_view::npos && out.student == nullptr && out.problem.empty();
         at = name.find('-', at + 1))
        if (const std::string rest = as_read(name.substr(at + 1)); !rest.empty())
            out = only(students_, hand_in, rest, read_name);
    if (out.student != nullptr || !out.problem.empty()) out.participant = number;
    return out;
}

std::vector<const Student*> Roster::members(std::string_view name) const {
    const auto moodle = moodle_name(std::string(name));
    const std::string group = as_read(moodle ? moodle->name : name);
    std::vector<const Student*> out;
    for (std::size_t i = 0; i < students_.size(); ++i)
        if (!groups_[i].empty() && groups_[i] == group) out.push_back(&students_[i]);
    return out;
}

Named Roster::whose(const Submitter& who) const {
    const std::string called = printable(who.name.empty() ? id_of(who) : who.name);
    Named out;
    const auto is_settled = [&](const std::string& key, auto&& key_of) {
        if (!key.empty()) out = only(students_, called, key, key_of);
        return out.student != nullptr || !out.problem.empty();
    };
    (void)(is_settled(who.sid, [&](std::size_t i) { return students_[i].lms_id; }) ||
           is_settled(safe_name(id_of(who)), [&](std::size_t i) { return safe_ids_[i]; }) ||
           is_settled(in_small_letters(who.email),
                      [&](std::size_t i) { return in_small_letters(students_[i].email); }) ||
           is_settled(as_read(who.name), [&](std::size_t i) { return read_names_[i]; }));
    return out;
}

}  // namespace cugrade::record
