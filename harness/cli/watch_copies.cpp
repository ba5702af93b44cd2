#include "cli/watch_copies.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "build/build_submission.hpp"
#include "cli/files.hpp"
#include "core/files.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view unfinished_copy = ".copying-";

Status write_copy(const Submission& submission, bool is_file, const fs::path& to) {
    if (is_file) return write_atomically(to, submission.files.front().text);
    if (auto made = make_folders(to); !made) return made;
    for (const SourceFile& file : submission.files) {
        const fs::path path = to / file.name;
        if (auto made = make_folders(path.parent_path()); !made) return made;
        if (auto written = write_atomically(path, file.text); !written) return written;
    }
    return Done{};
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
    std::vector<fs::path> out;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (!it->path().filename().string().starts_with('.')) out.push_back(it->path());
    std::ranges::sort(out);
    return out;
}

}  // namespace

WatchCopies::WatchCopies(const fs::path& out) : folder_(out / ".waiting") {}

Result<LandedCopy> WatchCopies::make(const BatchItem& item, std::int64_t landed_at) const {
    LandedCopy copy{.who = {item.assignment->id, item.student},
                    .sha256 = {},
                    .source = item.source,
                    .problem = item.problem,
                    .landed_at = landed_at};
    const auto submission = read_submission(item.source);
    // Of two submissions of one student none is the content.
    if (submission && item.problem.empty()) copy.sha256 = submission->sha256;
    if (!submission || !submission->problem.empty() || !item.problem.empty()) return copy;
    // One place for the same content and time, so that a killed watch finds what it has begun.
    const fs::path parent = folder_ / item.assignment->id / item.student;
    const fs::path folder = parent / fmt::format("{:012}-{}", landed_at, copy.sha256);
    copy.source = folder / item.source.filename();
    std::error_code error;
    if (fs::exists(copy.source, error)) return copy;
    if (auto made = make_folders(parent); !made) return made.error();
    fs::permissions(folder_, fs::perms::owner_all, error);
    auto temporary = TemporaryFolder::make_in(parent, unfinished_copy);
    if (!temporary) return temporary.error();
    const bool is_file = !fs::is_directory(fs::symlink_status(item.source, error));
    if (auto written = write_copy(*submission, is_file, temporary->path() / item.source.filename());
        !written)
        return written.error();
    fs::rename(temporary->path(), folder, error);
    if (error) return cannot("make the folder", folder, error.value());
    temporary->keep();
    return copy;
}

std::vector<LandedCopy> WatchCopies::left() const {
    std::vector<LandedCopy> out;
    for (const fs::path& assignment : sorted_entries(folder_))
        for (const fs::path& student : sorted_entries(assignment)) {
            remove_abandoned_folders(student, unfinished_copy);
            for (const fs::path& folder : sorted_entries(student)) {
                const std::string name = folder.filename().string();
                std::int64_t landed_at = 0;
                const auto number =
                    std::from_chars(name.data(), name.data() + name.size(), landed_at);
                std::vector<fs::path> sources = sorted_entries(folder);
                if (number.ec != std::errc() || *number.ptr != '-' || sources.size() != 1) continue;
                out.push_back(
                    {.who = {assignment.filename().string(), student.filename().string()},
                     .sha256 = name.substr(static_cast<std::size_t>(number.ptr - name.data()) + 1),
                     .source = std::move(sources.front()),
                     .landed_at = landed_at});
            }
        }
    std::ranges::stable_sort(out, {}, &LandedCopy::landed_at);
    return out;
}

void WatchCopies::remove(const LandedCopy& copy) const {
    const fs::path folder = copy.source.parent_path();
    // Not what is graded where it lies.
    if (folder.parent_path().parent_path().parent_path() != folder_) return;
    std::error_code ignored;
    fs::remove_all(folder, ignored);
}

void WatchCopies::remove_empty_folders() const {
    // fs::remove leaves a folder alone that is not empty.
    std::error_code ignored;
    for (const fs::path& assignment : sorted_entries(folder_)) {
        for (const fs::path& student : sorted_entries(assignment)) fs::remove(student, ignored);
        fs::remove(assignment, ignored);
    }
    fs::remove(folder_, ignored);
}

}  // namespace cugrade::cli
