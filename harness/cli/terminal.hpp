// Standard output and error: what a terminal can show, progress, and writes that are checked.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "report/format.hpp"

namespace cugrade::cli {

/// `colour`: auto, always or never. Auto: only on a terminal, and not with NO_COLOR or TERM=dumb.
[[nodiscard]] Result<report::Style> stdout_style(const std::string& colour);

/// Writes to standard output and flushes; throws a HarnessFault if it cannot (a full disk).
void print(std::string_view text);

/// One line on standard error that is overwritten. If standard error is no terminal, nothing is
/// written. Thread-safe. The destructor removes the line.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    void show(std::string_view text);
    void clear() { show(""); }

private:
    std::mutex mutex_;
    bool terminal_;
    bool shown_ = false;
};

}  // namespace cugrade::cli
