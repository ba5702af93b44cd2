#include "build/work_folder.hpp"

#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "build/build.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view work_name = "build";
constexpr std::string_view source_folder = "src";

/// A name that nvcc and its shell take unchanged: "my file (2).cu" becomes "my_file__2_.cu".
std::string plain_name(std::string_view name) {
    std::string out(name);
    for (char& c : out) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                           (c >= 'a' && c <= 'z') || c == '.' || c == '_' || c == '-' || c == '+';
        if (!plain) c = '_';
    }
    if (out.starts_with('-')) out[0] = '_';
    return out;
}

}  // namespace

Result<WorkFolder> WorkFolder::make() {
    auto folder = TemporaryFolder::make(work_name);
    if (!folder) return folder.error();
    WorkFolder work(*std::move(folder));
    std::error_code ignored;
    for (const fs::path& part : {work.source(), work.temporary()})
        fs::create_directory(part, ignored);
    return work;
}
fs::path WorkFolder::source() const { return path() / source_folder; }

bool WorkFolder::is_full() const {
    struct statvfs info {};
    return ::statvfs(path().c_str(), &info) == 0 && info.f_bavail * info.f_frsize < (16U << 20);
}

Result<std::vector<Unit>> write_sources(const Submission& submission, const WorkFolder& work) {
    const auto write = [&work](const std::string& name, const std::string& text) {
        const fs::path path = work.source() / name;
        std::error_code error;
        fs::create_directories(path.parent_path(), error);
        std::ofstream out(path, std::ios::binary);
        out << text;
        out.close();
        return !out.fail();
    };
    const auto full = [&work] {
        return Error{
            .message = fmt::format("the submission cannot be copied: {}", std::strerror(errno)),
            .file = work.path().string(),
            .remedy = "make room there, or set TMPDIR"};
    };
    for (const SourceFile& file : submission.files)
        if (!write(file.name, file.text)) return full();
    std::vector<Unit> units;
    std::set<std::string> taken;
    for (const std::string& name : submission.units) {
        std::string plain = plain_name(name);
        for (int n = 2; !taken.insert(plain).second; ++n)
            plain = fmt::format("{}_{}", n, plain_name(name));
        if (plain != name) {
            std::error_code error;
            fs::copy_file(work.source() / name, work.source() / plain, error);
            if (error) return full();
        }
        units.push_back({plain, fs::path(plain).stem().string() + ".o"});
    }
    return units;
}

std::string as_submitted(std::string_view path) {
    const std::size_t work = path.rfind(temporary_name(work_name));
    if (work == std::string_view::npos) return std::string(path);
    const std::string inside = fmt::format("/{}/", source_folder);
    const std::size_t at = path.find(inside, work);
    return std::string(at == std::string_view::npos ? path : path.substr(at + inside.size()));
}

}  // namespace cugrade
