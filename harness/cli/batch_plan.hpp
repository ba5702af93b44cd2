// Finds the submissions in a folder: the student and the assignment of each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/spec.hpp"
#include "record/record.hpp"
#include "record/roster.hpp"

namespace cugrade::cli {

struct BatchItem {
    std::string student;  ///< safe_name() of the id in the roster, else of the folder or file
    const AssignmentSpec* assignment = nullptr;
    std::filesystem::path source;
    std::filesystem::path entry = {};         ///< in the folder of the class; `source` is in it
    std::string problem = {};                 ///< why it cannot be graded; empty if it can
    const record::Student* listed = nullptr;  ///< in the roster
    std::string participant = {};             ///< Moodle's number of the hand-in
    bool is_archive = false;                  ///< `source` has to be unpacked first
    bool is_late = false;                     ///< its name says so, as Canvas writes it
    /// A watch does not grade it in this round: what the record has of the student stands.
    bool is_left = false;
    bool is_asked_for = true;                    ///< else nobody waits for it
    std::optional<std::int64_t> landed_at = {};  ///< seconds since 1970; nothing: nobody watched
    /// Gradescope's export says so; seconds since 1970.
    std::optional<std::int64_t> handed_in_at = {};
};

/// Somebody of whom there is no submission, though there are of others.
struct Missing {
    std::string student;  ///< as in BatchItem
    const AssignmentSpec* assignment = nullptr;
    const record::Student* listed = nullptr;  ///< not null
};

struct BatchPlan {
    std::vector<BatchItem> items;          ///< by assignment and student
    std::vector<std::string> passed_over;  ///< entries passed over, and why: somebody may miss them
    std::vector<std::string> alike;        ///< students whose names a person may take for one
    std::vector<std::string> left_out;     ///< folders of assignments that are not graded, and why
    std::vector<std::string> unlisted;     ///< graded, and nobody's in the roster; and why
    /// By the roster no hand-in can be told: a mistake, and not a class of strangers.
    std::optional<Error> fault_of_roster;
    std::vector<std::string> absent;  ///< in Gradescope's metadata, and not in the folder
    std::vector<Missing> missing;     ///< by assignment, then in the order of the roster
    bool broken = false;              ///< one of these has a wrong assignment.yaml
};

/// Of a folder that was handed in: the folder in it that is to be compiled; or the file, if it
/// holds one source file and nothing to include.
[[nodiscard]] std::filesystem::path source_of(std::filesystem::path entry);

/// The submissions below `folder`, one per .cu file, archive or folder. A folder with nothing but
/// an archive is that archive. With `assignment`, or where `folder` itself belongs to one, they lie
/// in `folder` directly; otherwise in one folder per assignment. Hidden entries are not looked at.
/// The folder of an assignment that is left out is left out, too. A student with two submissions is
/// one item with a problem. With a roster, which has to live as long as the plan, submissions are
/// those of its students. Where Gradescope's metadata lie beside submissions, a submission is one
/// item for each of its submitters (record/gradescope_export.hpp). Errors: there is no submission,
/// a folder belongs to no assignment, the metadata are none.
[[nodiscard]] Result<BatchPlan> plan_batch(const std::filesystem::path& folder,
                                           const std::vector<AssignmentSpec>& assignments,
                                           const AssignmentSpec* assignment,
                                           const std::vector<LeftOut>& left_out = {},
                                           const record::Roster* roster = nullptr);

/// The same where there may be no submission yet.
[[nodiscard]] Result<BatchPlan> plan_watch(const std::filesystem::path& folder,
                                           const std::vector<AssignmentSpec>& assignments,
                                           const AssignmentSpec* assignment,
                                           const std::vector<LeftOut>& left_out = {},
                                           const record::Roster* roster = nullptr);

/// The plan as the record keeps it: hand-ins, then who is missing.
[[nodiscard]] std::vector<record::Entry> entries_of(const BatchPlan&);

}  // namespace cugrade::cli
