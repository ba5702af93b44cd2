// Who is in the class, and whose hand-in is which. Theory of operation:
//
// A roster is a table with a line of names: `id`, and as many of `name`, `lms_id`, `section`,
// `email` and `group` as there are. Reports and marks call a student by the id. Learning management
// systems call what they export otherwise:
//
//   Moodle  Ada Lovelace_1234567_assignsubmission_file_/    the name, and a number of this hand-in
//           Ada Lovelace_1234567_assignsubmission_file_scan.cu
//           Group A-Ada Lovelace_1234567_assignsubmission_file_     of teams, before Moodle 4.1
//           Group A_77_assignsubmission_file/                       since then: the group's number
//           Participant_1234567_assignsubmission_file_/             where names are hidden
//   Canvas  lovelaceada_LATE_5107_88231_scan-1.cu           the `lms_id`, and a number of the file
//
// So a hand-in is the student's whose id it is called by, or whom Canvas's number or Moodle's name
// tells. A group's is one of each of its members. Gradescope tells submitters in a file of its own
// (gradescope_export.hpp). Names are compared as a person reads them (alike.hpp). A name that two
// students have tells nobody.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace cugrade::record {

struct Student {
    std::string id;      ///< safe_name() of it is the name of the reports
    std::string name;    ///< as the learning management system writes it
    std::string lms_id;  ///< Canvas's number of the student, or Gradescope's `sid`
    std::string section;
    std::string email;
};

/// Who has handed in, as Gradescope knows them. At least one of these is not empty.
struct Submitter {
    std::string name, sid, email;
};
/// What a submitter is called who is in no roster: the sid, else the email, else the name.
[[nodiscard]] const std::string& id_of(const Submitter&);

/// What Moodle calls a hand-in: a name (of a student or of a group), and a number.
struct MoodleName {
    std::string name, number;
};
/// Nothing: Moodle has not named it.
[[nodiscard]] std::optional<MoodleName> moodle_name(const std::string& text);
/// Whether files beside each other are hand-ins of a class, by what Moodle or Canvas calls them.
[[nodiscard]] bool are_of_a_class(const std::vector<std::string>& names);
/// Where names are hidden from who marks, Moodle calls everybody by one word, in its language.
/// `names`: of all hand-ins beside each other. Empty: names are not hidden.
[[nodiscard]] std::string word_for_hidden_names(const std::vector<std::string>& names);

/// What the name of a hand-in says.
struct Named {
    const Student* student = nullptr;  ///< null: nobody in the roster
    std::string participant = {};      ///< Moodle's number, for its grading worksheet; may be empty
    std::string problem = {};          ///< why nobody can tell: it may be several students'
    bool needs_column = false;         ///< `problem` is the roster's, and of all names of this kind
    bool is_late = false;              ///< Canvas says so: after its own deadline
};

class Roster {
public:
    /// `file` is for errors: an unknown or missing column, a student without an id, an id twice.
    [[nodiscard]] static Result<Roster> read(std::string_view text, const std::string& file);

    /// In the order of the file.
    [[nodiscard]] const std::vector<Student>& students() const { return students_; }
    /// `name`: of a folder, or of a file without .cu. The Student lives as long as this.
    [[nodiscard]] Named whose(std::string_view name) const;
    /// By the sid (a student's lms_id, or else the id), then the email, then the name.
    [[nodiscard]] Named whose(const Submitter&) const;
    /// The members of the group whose hand-in is called so; empty: there is no such group.
    [[nodiscard]] std::vector<const Student*> members(std::string_view name) const;

private:
    [[nodiscard]] Named by_name(std::string_view hand_in, std::string_view name,
                                const std::string& number) const;

    std::vector<Student> students_;
    std::vector<std::string> safe_ids_;    ///< safe_name() of each id
    std::vector<std::string> read_names_;  ///< as_read() of each name, which is slow
    std::vector<std::string> groups_;      ///< as_read() of each group; empty: none
};

}  // namespace cugrade::record
