#include "cli/watch_folder.hpp"

#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

#include <fmt/format.h>

#include "datasets/seeds.hpp"

namespace cugrade::cli {
namespace {

namespace fs = std::filesystem;

/// Files and folders of one stamp. Chosen: more than a class has, and an end for a hostile tree.
constexpr std::size_t most_entries = 1'000'000;
/// Folders that the kernel is asked about; those beyond are looked at from time to time, as all
/// are. Chosen: below the usual limit of a user.
constexpr std::size_t most_watched = 4096;

class Stamping {
public:
    explicit Stamping(std::vector<fs::path>* folders) : folders_(folders) {}

    void add(const fs::path& path) {
        struct stat info {};
        if (++entries_ > most_entries || ::lstat(path.c_str(), &info) != 0) return;
        lines_.push_back(fmt::format(
            "{} {} {} {} {}.{} {}.{}\n", path.string(), info.st_ino, info.st_mode, info.st_size,
            info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec));
        stamp_.changed_at = std::max<std::int64_t>(stamp_.changed_at, info.st_ctim.tv_sec);
        if (!S_ISDIR(info.st_mode)) return;
        if (folders_ != nullptr) folders_->push_back(path);
        std::error_code error;
        for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error))
            add(it->path());
    }

    Stamp finish() {
        std::ranges::sort(lines_);
        std::string all;
        for (const std::string& line : lines_) all += line;
        stamp_.text = datasets::sha256(all);
        return std::move(stamp_);
    }

private:
    std::vector<fs::path>* folders_;
    std::vector<std::string> lines_;
    std::size_t entries_ = 0;
    Stamp stamp_;
};

}  // namespace

Stamp stamp_of(const fs::path& path, std::vector<fs::path>* folders) {
    Stamping stamping(folders);
    stamping.add(path);
    return stamping.finish();
}

FolderEvents::FolderEvents() : inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

void FolderEvents::add(const std::vector<fs::path>& folders) {
    if (!inotify_.is_open()) return;
    constexpr std::uint32_t what = IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_DELETE |
                                   IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR;
    // One that is watched already is so once. What cannot be watched is looked at all the same.
    for (std::size_t i = 0; i < std::min(folders.size(), most_watched); ++i)
        (void)::inotify_add_watch(inotify_.get(), folders[i].c_str(), what);
}

bool FolderEvents::wait(std::chrono::milliseconds most) {
    if (!inotify_.is_open()) {
        std::this_thread::sleep_for(most);
        return false;
    }
    pollfd one{.fd = inotify_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&one, 1, static_cast<int>(most.count())) <= 0) return false;
    std::array<char, 16384> events{};
    while (::read(inotify_.get(), events.data(), events.size()) > 0) {
    }
    return true;
}

}  // namespace cugrade::cli
