#include "handin/new_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/files.hpp"
#include "handin/entry_path.hpp"

namespace cugrade::handin {
namespace {

constexpr int to_folder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string joined(const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, "/"));
}

}  // namespace

Result<NewFolder> NewFolder::make(std::filesystem::path path) {
    if (::mkdir(path.c_str(), 0755) != 0) return cannot("make the folder", path, errno);
    process::Descriptor root(::open(path.c_str(), to_folder));
    if (!root.is_open()) return cannot("open", path, errno);
    return NewFolder(std::move(path), std::move(root));
}

NewFolder::~NewFolder() {
    std::error_code ignored;
    if (root_.is_open() && !is_kept_) std::filesystem::remove_all(path_, ignored);
}

Result<process::Descriptor> NewFolder::open_folder(const std::vector<std::string>& parts,
                                                   std::size_t depth) {
    process::Descriptor at(::openat(root_.get(), ".", to_folder));
    for (std::size_t i = 0; at.is_open() && i < depth; ++i) {
        if (::mkdirat(at.get(), parts[i].c_str(), 0755) == 0)
            ++entries_;
        else if (errno != EEXIST)
            return cannot("make the folder", path_ / joined(parts), errno);
        at = process::Descriptor(::openat(at.get(), parts[i].c_str(), to_folder));
    }
    if (at.is_open()) return at;
    if (errno == ENOTDIR || errno == ELOOP)
        return refusal("the archive holds a file and a folder of the same name", joined(parts),
                       "rename one of them");
    return cannot("open", path_ / joined(parts), errno);
}

Status NewFolder::add_folder(const std::vector<std::string>& parts) {
    auto folder = open_folder(parts, parts.size());
    if (!folder) return folder.error();
    return Done{};
}

Result<process::Descriptor> NewFolder::add_file(const std::vector<std::string>& parts) {
    auto folder = open_folder(parts, parts.size() - 1);
    if (!folder) return folder.error();
    process::Descriptor file(::openat(folder->get(), parts.back().c_str(),
                                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!file.is_open() && errno == EEXIST)
        return refusal("the archive holds two files of the same name", joined(parts),
                       "remove one of them");
    if (!file.is_open()) return cannot("write", path_ / joined(parts), errno);
    ++entries_;
    return file;
}

}  // namespace cugrade::handin
