// Where something is in the student's source.
#pragma once

#include <string>

namespace cugrade {

struct SourceLocation {
    std::string file;
    int line = 0;  ///< 1-based; 0: not known
    int column = 0;
    bool operator==(const SourceLocation&) const = default;
};

/// A file of a submission.
struct SourceFile {
    std::string name;  ///< below the submission's folder, with '/'
    std::string text;
};

/// A line of the source, as it is shown beside what is said about it.
struct SourceLine {
    std::string file;
    int line = 0;
    std::string text;  ///< without its line end
    bool operator==(const SourceLine&) const = default;
};

}  // namespace cugrade
