#include "cli/handins.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "build/build_submission.hpp"
#include "cli/files.hpp"
#include "core/files.hpp"
#include "handin/archive_name.hpp"
#include "handin/unpack.hpp"
#include "process/descriptor.hpp"
#include "record/gradescope_export.hpp"
#include "record/roster.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

/// Chosen: a class of 500 with ten files of 800 KiB each.
constexpr handin::Limits of_a_class{.entries = 20'000,
                                    .depth = 24,
                                    .archive_bytes = 4ULL << 30,
                                    .file_bytes = 1ULL << 30,
                                    .total_bytes = 4ULL << 30,
                                    .skipped_bytes = 1ULL << 30,
                                    .skipped_entries = 100'000};
constexpr std::string_view unfinished = ".unpacking-";

fs::path folder_in(const fs::path& out) { return out / "handins"; }

/// Changes with the file, and with what cugrade takes. Who replaces a file cannot set its ctime.
std::string version_of(const fs::path& archive) {
    struct stat info {};
    if (::lstat(archive.c_str(), &info) != 0) return "";
    return fmt::format("cugrade {} inode {} bytes {} mtime {}.{:09} ctime {}.{:09}\n",
                       CUGRADE_VERSION, info.st_ino, info.st_size, info.st_mtim.tv_sec,
                       info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
}

class Unpacker {
public:
    explicit Unpacker(fs::path out) : out_(std::move(out)) {}

    /// Unpacks into `parent / name`, unless the same is there already.
    Result<fs::path> unpack(const fs::path& archive, const fs::path& parent,
                            const std::string& name, const handin::Limits& limits) {
        fs::path folder = parent / name;
        const fs::path mark = parent / fmt::format(".{}.from", name);
        const std::string version = version_of(archive);
        std::error_code error;
        const auto was = read_file(mark);
        if (was && !version.empty() && *was == version && fs::is_directory(folder, error))
            return folder;
        if (auto status = make_folders(parent); !status) return status.error();
        fs::remove(mark, error);  // first, so that it never stands beside another archive's files
        fs::remove_all(folder, error);
        const auto temporary = TemporaryFolder::make_in(parent, unfinished);
        if (!temporary) return temporary.error();
        const fs::path files = temporary->path() / "files";
        const auto unpacked = handin::unpack(archive, files, limits);
        if (!unpacked) return unpacked.error();
        fs::rename(files, folder, error);
        if (error) return cannot("make the folder", folder, error.value());
        fresh_.emplace_back(mark, version);
        return folder;
    }

    /// Writes the marks, when the files are on the disk: a power failure may not leave a mark
    /// alone.
    Status finish() {
        if (fresh_.empty()) return Done{};
        const process::Descriptor folder(::open(out_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!folder.is_open() || ::syncfs(folder.get()) != 0) return cannot("write", out_, errno);
        for (const auto& [mark, version] : std::exchange(fresh_, {}))
            if (auto status = write_atomically(mark, version); !status) return status;
        return Done{};
    }

private:
    fs::path out_;
    std::vector<std::pair<fs::path, std::string>> fresh_;  ///< marks to write
};

/// On one line, for the end of the batch: there the student's name is, too.
std::string problem_of(const Error& error) {
    const std::string file = error.file.empty() ? "" : error.file + ": ";
    return file + error.message + (error.remedy.empty() ? "" : "; " + error.remedy);
}

/// What an instructor has put among the hand-ins of students.
bool is_of_a_class(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error))
        if (it.depth() < 2) names.push_back(it->path().filename().string());
    return record::are_of_a_class(names) ||
           std::ranges::find(names, record::gradescope_metadata) != names.end();
}

/// Archives in what was an archive are not opened: nobody packs sources twice, and layers multiply.
/// The end of the batch names them.
void tell_inner_archives(const fs::path& folder, BatchItem& item, BatchPlan& plan) {
    std::vector<std::string> archives;
    bool has_source = false;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
        has_source |= it->path().extension() == ".cu";
        if (handin::kind_of(it->path().filename().string()) != handin::ArchiveName::none)
            archives.push_back(it->path().lexically_relative(folder).string());
    }
    if (!has_source && !archives.empty())
        item.problem = fmt::format(
            "the archive holds no .cu file but another archive, `{}`; pack the files themselves",
            archives.front());
    for (const std::string& archive : archives)
        plan.passed_over.push_back(fmt::format("{}: an archive in an archive, which is not opened",
                                               (item.source / archive).string()));
}

}  // namespace

bool is_class_archive(const fs::path& path) {
    std::error_code error;
    return handin::kind_of(path.filename().string()) == handin::ArchiveName::opened &&
           fs::is_regular_file(path, error);
}

Result<fs::path> unpack_class(const fs::path& archive, const fs::path& out) {
    const std::string stem = handin::stem_of(archive.filename().string());
    std::error_code error;
    const fs::path file =
        fs::canonical(archive, error);  // this one may be a link: nobody handed it in
    Unpacker unpacker(out);
    auto folder = unpacker.unpack(file, folder_in(out) / ".class", safe_name(stem), of_a_class);
    if (!folder) {
        Error why = folder.error();
        if (why.kind != ErrorKind::submission && handin::can_unpack()) return why;
        why.kind = ErrorKind::usage;
        why.file = archive.string();
        why.remedy = "unpack it yourself, look at what it holds, and give the folder";
        return why;
    }
    if (auto status = unpacker.finish(); !status) return status.error();
    // Who packs the folder `class` gets class.zip, with that folder in it. Gradescope's export is
    // one folder, too, whatever the archive is called now.
    std::vector<fs::path> entries;
    for (fs::directory_iterator it(*folder, error), end; !error && it != end; it.increment(error))
        entries.push_back(it->path());
    const bool is_wrapped =
        entries.size() == 1 && fs::is_directory(entries.front(), error) &&
        (entries.front().filename() == stem ||
         fs::is_regular_file(entries.front() / record::gradescope_metadata, error));
    return is_wrapped ? entries.front() : *folder;
}

Status unpack_handins(BatchPlan& plan, const fs::path& out) {
    Unpacker unpacker(out);
    for (BatchItem& item : plan.items) {
        if (!item.is_archive || item.is_left || !item.problem.empty()) continue;
        const auto folder =
            unpacker.unpack(item.source, folder_in(out) / item.assignment->id, item.student, {});
        if (!folder) {
            item.problem = problem_of(folder.error());
            continue;
        }
        if (is_of_a_class(*folder))
            item.problem =
                "the archive holds hand-ins of a class, as a learning management system names "
                "them; grade it by itself, or put what it holds beside the others";
        else
            tell_inner_archives(*folder, item, plan);
        item.source = source_of(*folder);
    }
    return unpacker.finish();
}

void remove_unfinished_handins(const fs::path& out) {
    std::error_code error;
    for (fs::directory_iterator it(folder_in(out), error), end; !error && it != end;
         it.increment(error)) {
        remove_abandoned_folders(it->path(), unfinished);
        remove_unfinished_files(it->path());
    }
}

}  // namespace cugrade::cli
