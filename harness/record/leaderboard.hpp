// Who is fastest, for students: chosen names and speedups, and nothing else.
//
// A ranking is of one task and one clock: speedups that were measured on a GPU, or modelled for
// one, are compared with no others. In it is who has chosen a name, of the attempt that counts, if
// the task is right and the speedup counts for points. Left out is a submission on which a person
// has to decide, or of which any task is tampering.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/class_view.hpp"
#include "report/page.hpp"

namespace cugrade::record {

struct Place {
    std::size_t rank = 0;      ///< from 1; who shows the same speedup has the same one
    std::string name;          ///< chosen
    std::string speedup;       ///< as it is shown
    const Row* row = nullptr;  ///< for staff only
};

struct Ranking {
    std::string assignment, assignment_title, task, task_title;
    bool is_modelled = false;
    std::string device;         ///< the GPU; may be empty
    std::vector<Place> places;  ///< the fastest first, never empty
};

/// By assignment and task, in the order of the rows and their reports. None if the view has no
/// chosen names. Points into the view.
[[nodiscard]] std::vector<Ranking> rankings_of(const ClassView&);

/// graded/leaderboard.html, which holds no id, no student's name but the chosen one, and no mark.
[[nodiscard]] std::string leaderboard_page(const ClassView&);

/// The same for staff, as a section of the class's page, with links to the students' pages. Empty
/// if the view has no chosen names.
[[nodiscard]] std::string leaderboard_section(const ClassView&);

/// The same for a terminal: the first ones of each ranking.
void write_leaderboard(report::Page&, const ClassView&);

}  // namespace cugrade::record
