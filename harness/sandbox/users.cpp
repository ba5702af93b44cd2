#include "sandbox/users.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "core/files.hpp"

namespace cugrade::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr uid_t first = 61184, last = 65519;
constexpr const char* folder = "/run/cugrade-users";

bool is_known(uid_t id) {
    passwd entry{};
    passwd* found = nullptr;
    char buffer[16384];
    return getpwuid_r(id, &entry, buffer, sizeof buffer, &found) == 0 && found != nullptr;
}

/// Whether a process of this user namespace can become each of our users. Root of a namespace may
/// have no others: `unshare --map-root-user`, a container of an ordinary user without /etc/subuid.
bool has_users() {
    for (const char* name : {"/proc/self/uid_map", "/proc/self/gid_map"}) {
        std::ifstream map(name);
        bool mapped = false;
        for (std::uint64_t inside = 0, outside = 0, count = 0; map >> inside >> outside >> count;)
            mapped = mapped || (inside <= first && last < inside + count);
        if (!mapped) return false;
    }
    std::string groups;
    return std::ifstream("/proc/self/setgroups") >> groups && groups == "allow";
}

}  // namespace

Result<std::optional<User>> User::take() {
    if (geteuid() != 0 || !has_users()) return std::optional<User>();
    if (mkdir(folder, 0700) != 0 && errno != EEXIST) return cannot("make", folder, errno);
    // Where to begin is random, so that two graders rarely try the same; any number will do.
    std::random_device random;
    constexpr uid_t count = last - first + 1;
    const uid_t begin = random() % count;
    for (uid_t i = 0; i < count; ++i) {
        const uid_t id = first + (begin + i) % count;
        if (is_known(id)) continue;
        const fs::path path = fs::path(folder) / std::to_string(id);
        process::Descriptor lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!lock.is_open()) return cannot("open", path, errno);
        if (flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return std::optional(User(id, std::move(lock)));
    }
    return Error{.message = "all users for sandboxes are taken",
                 .file = folder,
                 .remedy = "end other gradings on this machine"};
}

}  // namespace cugrade::sandbox
