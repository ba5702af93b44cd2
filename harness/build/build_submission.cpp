#include "build/build_submission.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "build/includes.hpp"
#include "core/files.hpp"
#include "core/printable.hpp"
#include "core/shell.hpp"
#include "datasets/seeds.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_file_bytes = 4 << 20;
constexpr std::size_t max_total_bytes = 16 << 20;
constexpr std::size_t max_files = 512;
constexpr int max_depth = 8;

constexpr std::size_t max_entries = 10'000;  // chosen: an unpacked course repository has fewer

/// What is wrong with a file of this mode; empty if it can be read as a submission.
std::string wrong_kind(mode_t mode) {
    if (S_ISREG(mode)) return "";
    if (S_ISLNK(mode)) return "is a symbolic link: hand in the file itself";
    return fmt::format("is {}: hand in a file with your source text", S_ISDIR(mode)    ? "a folder"
                                                                      : S_ISFIFO(mode) ? "a pipe"
                                                                      : S_ISSOCK(mode)
                                                                          ? "a socket"
                                                                          : "a device");
}

/// The Error for what is there and cannot be read: who hands in cannot know who grades.
Error unreadable(const fs::path& path, int error_number) {
    Error error = cannot("read", path, error_number);
    error.kind = ErrorKind::usage;
    error.remedy = fmt::format(
        "let the user who grades read it (setfacl -m u:{}:rX {}, or chmod), and grade again",
        ::geteuid(), shell_word(path.string()));
    return error;
}

/// Reads a regular file; returns the problem, or nothing. Never waits (a pipe may be named
/// student.cu), never opens a device (that can do something), never reads more than is allowed,
/// and never follows a link, because the reader may see more files than the student.
Result<std::string> read_regular(const fs::path& path, std::string& out) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return unreadable(path, errno);
    std::string problem = wrong_kind(info.st_mode);
    if (!problem.empty()) return problem;
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (fd < 0) return unreadable(path, errno);
    int failed = 0;
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        problem = "is not a regular file";
    } else if (static_cast<std::size_t>(info.st_size) > max_file_bytes) {
        problem = fmt::format("is too large: {:.1f} MiB, {} MiB are allowed",
                              static_cast<double>(info.st_size) / (1 << 20), max_file_bytes >> 20);
    } else {
        out.resize(max_file_bytes);
        std::size_t size = 0;
        while (size < out.size()) {
            const ssize_t got = ::read(fd, out.data() + size, out.size() - size);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) failed = errno;
            if (got <= 0) break;
            size += static_cast<std::size_t>(got);
        }
        out.resize(size);
    }
    ::close(fd);
    if (failed != 0) return unreadable(path, failed);
    return problem;
}

bool is_unit(const fs::path& path) { return path.extension() == ".cu"; }
bool is_source(const fs::path& path) {
    constexpr std::array<std::string_view, 4> extensions{".cu", ".cuh", ".h", ".hpp"};
    return std::ranges::find(extensions, path.extension().string()) != extensions.end();
}

void find_problem(Submission& submission, const std::string& shown) {
    if (!submission.problem.empty()) return;
    if (submission.units.empty()) {
        submission.problem = fmt::format("{} has no .cu file", shown);
        return;
    }
    bool all_blank = true;
    for (const SourceFile& file : submission.files) {
        if (file.text.find('\0') != std::string::npos) {
            const bool utf16 =
                file.text.starts_with("\xff\xfe") || file.text.starts_with("\xfe\xff");
            submission.problem = fmt::format(
                "{} is not text{}", file.name,
                utf16 ? " in UTF-8 but in UTF-16: save it as UTF-8" : " but binary data");
            return;
        }
        all_blank = all_blank && file.text.find_first_not_of(" \t\r\n\v\f") == std::string::npos;
    }
    if (all_blank) submission.problem = fmt::format("{} is empty", submission.units.front());
}

Status read_folder(const fs::path& folder, Submission& submission) {
    std::error_code error;
    std::vector<fs::path> found;
    std::size_t entries = 0;
    fs::recursive_directory_iterator it(folder, error);
    for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
        const fs::path& path = it->path();
        const std::string name = path.filename().string();
        std::error_code ignored;
        const bool is_folder = fs::is_directory(it->symlink_status(ignored));
        if (++entries > max_entries) {
            submission.problem = fmt::format(
                "the folder holds more than {} files and folders: hand in the source files alone",
                max_entries);
            break;
        }
        if (name.starts_with('.') || it.depth() >= max_depth) {
            it.disable_recursion_pending();
        } else if (is_source(path) && !is_folder) {
            found.push_back(path);
            if (found.size() > max_files) {
                submission.problem = fmt::format("more than {} files", max_files);
                break;
            }
        }
    }
    if (error) return unreadable(folder, error.value());
    std::ranges::sort(found);
    std::size_t total = 0;
    for (const fs::path& path : found) {
        SourceFile file{.name = path.lexically_relative(folder).generic_string(), .text = {}};
        auto read = read_regular(path, file.text);
        if (!read) return read.error();
        std::string problem = *std::move(read);
        total += file.text.size();
        if (problem.empty() && total > max_total_bytes)
            problem = fmt::format("makes the submission larger than {} MiB", max_total_bytes >> 20);
        if (!problem.empty() && submission.problem.empty())
            submission.problem = fmt::format("{} {}", file.name, problem);
        if (!problem.empty()) file.text.clear();
        if (is_unit(path) && file.name.find('/') == std::string::npos)
            submission.units.push_back(file.name);
        submission.files.push_back(std::move(file));
    }
    return Done{};
}

/// Compilers make files whose names begin with the unit's (student.cudafe1.stub.c), and at most 255
/// bytes are allowed; and their messages name the unit. So a unit with a longer name, or with one
/// that cannot be shown, is compiled under another.
void rename_units(Submission& submission) {
    for (std::string& unit : submission.units) {
        const std::string stem = fs::path(unit).stem().string();
        const std::string name = safe_name(stem) + ".cu";
        if (name == unit) continue;
        std::ranges::find(submission.files, unit, &SourceFile::name)->name = name;
        unit = name;
    }
}

}  // namespace

std::string safe_name(std::string_view name) {
    constexpr std::size_t longest = 150;  // chosen: names of 255 bytes with 100 for what is added
    constexpr std::size_t hash_digits = 16;
    const auto marked = [&] {  // as if this function had made it
        const auto mark = name.rfind('~');
        return mark != std::string_view::npos && name.size() - mark == 1 + hash_digits;
    };
    const std::string shown = clean(name, 10 * name.size(), false);
    if (shown == name && name.size() <= longest && !marked()) return std::string(name);
    std::size_t cut = std::min(shown.size(), longest - 1 - hash_digits);
    while (cut > 0 && cut < shown.size() &&
           (static_cast<unsigned char>(shown[cut]) & 0xC0U) == 0x80)
        --cut;
    return fmt::format("{}~{}", shown.substr(0, cut),
                       datasets::sha256(name).substr(0, hash_digits));
}

Result<Submission> read_submission(const fs::path& source) {
    std::error_code error;
    // Not of what a link leads to: it may be another student's.
    const fs::file_status status = fs::symlink_status(source, error);
    if (!fs::exists(status))
        return Error{.kind = ErrorKind::usage,
                     .message = error ? error.message() : "no such file or folder",
                     .file = source.string(),
                     .remedy = "give the path of a .cu file or of a folder with one"};
    Submission submission;
    if (fs::is_directory(status)) {
        if (auto read = read_folder(source, submission); !read) return read.error();
        std::string lines;
        for (const SourceFile& file : submission.files)
            lines += fmt::format("{}  {}\n", datasets::sha256(file.text), file.name);
        submission.sha256 = datasets::sha256(lines);
    } else {
        const std::string name = source.filename().string();
        if (!is_unit(source) && !fs::is_symlink(status))
            return Error{.kind = ErrorKind::usage,
                         .message = "a submission is a .cu file or a folder with one",
                         .file = source.string()};
        SourceFile file{.name = name, .text = {}};
        const auto problem = read_regular(source, file.text);
        if (!problem) return problem.error();
        if (!problem->empty()) submission.problem = fmt::format("{} {}", name, *problem);
        submission.sha256 = datasets::sha256(file.text);
        submission.units.push_back(name);
        submission.files.push_back(std::move(file));
    }
    find_problem(submission,
                 source.filename().empty() ? source.string() : source.filename().string());
    if (submission.problem.empty()) submission.problem = find_foreign_include(submission.files);
    rename_units(submission);
    return submission;
}

}  // namespace cugrade
