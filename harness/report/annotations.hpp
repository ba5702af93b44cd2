// What a report says of single lines of the source: for the formats that mark them.
#pragma once

#include <string>
#include <vector>

#include "core/report.hpp"
#include "report/format.hpp"

namespace cugrade::report {

struct Annotation {
    enum class Level { error, warning };
    Level level = Level::error;
    /// A cause, "missing_barrier", else a verdict, "data_race", or the kind of a finding.
    std::string rule;
    std::string task;
    std::string text;  ///< one sentence or two
    std::optional<SourceLocation> location;
    std::optional<SourceLocation> other;  ///< where the other thread of a race was
    int cases = 1;                        ///< of the task, in which the same was seen
};

/// The task's causes, what the failed cases say that these do not explain, and its warnings; the
/// same rule at the same place once. The task is of a presentable() report.
[[nodiscard]] std::vector<Annotation> annotations_of(const TaskReport&);
/// The same without the causes.
[[nodiscard]] std::vector<Annotation> unexplained(const TaskReport&);
/// Of all tasks.
[[nodiscard]] std::vector<Annotation> annotations_of(const Report&);

/// The file that an annotation is of, or the submission, as seen from where cugrade was called.
/// Forward slashes, no leading "./".
[[nodiscard]] std::string path_of(const Style&, const Report&,
                                  const std::optional<SourceLocation>&);

/// The task, what is wrong, and of how many cases it is said.
[[nodiscard]] std::string sentence(const Annotation&);

}  // namespace cugrade::report
