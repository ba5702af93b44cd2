// Where the submissions of a batch are graded: in threads of this process, or as jobs of a cluster.
//
// A batch decides what is to be graded, and what becomes of a grading: the record, the reports, the
// gradebook. An executor decides where grading runs, and in what order. It knows submissions by
// their numbers.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/report.hpp"

namespace cugrade::cluster {

/// What came of one submission.
struct Graded {
    std::optional<Report> report;  ///< not sealed
    std::string facts;             ///< of the report: record/facts.hpp
    std::string problem;           ///< why there is no report
    bool of_the_course = false;    ///< the problem is the course's, and its author has to mend it
};

struct Finished {
    std::size_t item = 0;
    Graded graded;
};

/// What a batch does for its executor. Safe between threads.
struct BatchSide {
    /// Takes gradings, of each submission once. Several at a time cost less than one by one.
    std::function<void(std::vector<Finished>)> finish;
    /// Whether nothing more should be begun.
    std::function<bool()> should_stop;
};

class Executor {
public:
    virtual ~Executor() = default;
    /// Grades these, and returns when all are finished or nothing more should be begun. Then
    /// nothing is left of earlier runs, either.
    virtual void run(const std::vector<std::size_t>& items, const BatchSide&) = 0;
};

}  // namespace cugrade::cluster
