// The files that a build has read, as the compilers and the linker report them, and whether they
// are still the same.
//
// Theory of operation, as in ccache's direct mode. The inputs of a build that are not files (flags,
// names, environment) have a key, under which the cache keeps the list of files that the last such
// build has read. That list, with the present contents of the files, has another key, under which
// the cache keeps the result. Which file a build reads next depends only on what it has read
// before. So if all files of the list are unchanged, a build would read the same files and make the
// same result. The list also names headers that do not exist yet, but would be found before one
// that was read: it has them as missing.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cugrade {

/// The prerequisites of the first rule of a makefile, as compilers write it.
[[nodiscard]] std::vector<std::string> prerequisites(std::string_view makefile);

class Dependencies {
public:
    /// Files below `system` (paths that end in /, such as the toolkit's) are known by size and
    /// time, others by content. Headers are looked for in `folders` and beside the files.
    Dependencies(std::vector<std::string> system, std::vector<std::string> folders)
        : system_(std::move(system)), folders_(std::move(folders)) {}

    void add(const std::vector<std::string>& files);
    /// Call after the last add(). Finds the places where a new header would be found first.
    void look_for_gaps();

    /// The list and the state of each file, to be hashed.
    [[nodiscard]] std::string state() const;
    /// The list alone, as a text; from_text() reads it back.
    [[nodiscard]] std::string text() const;
    void from_text(std::string_view);

    /// Why the list cannot prove that the result is unchanged: a file of the user's asks whether a
    /// header exists, asks for the time, reads a file that no compiler reports, or has changed
    /// since `start`. Empty: the list proves it.
    [[nodiscard]] std::string unclear(std::filesystem::file_time_type start) const;

private:
    [[nodiscard]] bool is_system(const std::string& file) const;

    std::vector<std::string> system_, folders_;
    std::set<std::string> files_;
    std::set<std::string> absent_;
};

}  // namespace cugrade
