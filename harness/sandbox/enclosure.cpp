#include "sandbox/enclosure.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#include "core/files.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr const char* init_inside = "/sandbox-init";

/// Whom a command is inside, and who owns all files that it can see as its own.
constexpr int user_inside = 1000;

Result<std::string> find_bubblewrap() {
    const char* path = std::getenv("PATH");
    std::error_code error;
    // The submission's user starts it, and may be unable to follow the links to it.
    const fs::path program =
        fs::canonical(find_program("bwrap", path != nullptr ? path : "/usr/bin:/bin"), error);
    if (!error && ::access(program.c_str(), X_OK) == 0) return program.string();
    return Error{.message = "bubblewrap is not installed",
                 .remedy = "apt-get install bubblewrap"};
}

/// Whether a user who owns nothing and is in no group can come to this file and read it. `path` has
/// no links.
bool is_open_to_all(const fs::path& path) {
    const auto allows = [](const fs::path& one, fs::perms needed) {
        std::error_code error;
        return (fs::status(one, error).permissions() & needed) == needed && !error;
    };
    fs::path folder;
    for (const fs::path& part : path.parent_path())
        if (!allows(folder /= part, fs::perms::others_exec)) return false;
    std::error_code error;
    return allows(path, fs::is_directory(path, error)
                            ? fs::perms::others_read | fs::perms::others_exec
                            : fs::perms::others_read);
}

/// Collects what is mounted where. What is below another place has to be mounted after it.
class Mounts {
public:
    Mounts(std::optional<uid_t> user, EnclosureCommand& out) : user_(user), out_(out) {}

    void add(const fs::path& there, std::vector<std::string> words) {
        all_.emplace_back(there, std::move(words));
    }

    Status show(const Shown& shown) {
        const fs::path& there = shown.there.empty() ? shown.here : shown.there;
        // The links on the way to it may be in folders that the user cannot enter.
        std::error_code error;
        const fs::path here = fs::canonical(shown.here, error);
        if (error) return cannot("show in the sandbox", shown.here, error.value());
        if (!user_ || is_open_to_all(here)) {
            add(there, {"--ro-bind", here.string(), there.string()});
            return Done{};
        }
        if (!fs::is_regular_file(here, error))
            return Error{.message = "submissions run as a user of their own, who cannot enter here",
                         .file = shown.here.string(),
                         .remedy = "let others read this folder and enter those above it"};
        process::Descriptor file(::open(here.c_str(), O_RDONLY | O_CLOEXEC));
        if (!file.is_open()) return cannot("show in the sandbox", shown.here, errno);
        const int number = first_descriptor + static_cast<int>(out_.descriptors.size());
        add(there, {"--perms", "0555", "--ro-bind-data", std::to_string(number), there.string()});
        out_.descriptors.push_back(std::move(file));
        return Done{};
    }

    void write() {
        std::ranges::stable_sort(all_, {}, [](const auto& mount) { return mount.first; });
        for (const auto& [there, words] : all_)
            out_.arguments.insert(out_.arguments.end(), words.begin(), words.end());
    }

private:
    std::optional<uid_t> user_;
    EnclosureCommand& out_;
    std::vector<std::pair<fs::path, std::vector<std::string>>> all_;
};

}  // namespace

void show_libraries(View& view) {
    std::error_code error;
    for (const char* name : {"lib", "lib32", "lib64", "libx32"}) {
        const fs::path at_root = fs::path("/") / name, in_usr = fs::path("/usr") / name;
        if (fs::is_directory(in_usr, error)) view.shown.push_back({in_usr});
        if (fs::is_symlink(at_root, error))
            view.links.emplace_back(fs::read_symlink(at_root, error).string(), at_root);
        else if (fs::is_directory(at_root, error))
            view.shown.push_back({at_root});
    }
    if (fs::exists("/etc/ld.so.cache", error)) view.shown.push_back({"/etc/ld.so.cache"});
}

std::vector<fs::path> folders_in(const char* value) {
    std::vector<fs::path> out;
    for (std::string_view rest = value != nullptr ? value : ""; !rest.empty();) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        if (const fs::path folder = rest.substr(0, end); folder.is_absolute()) out.push_back(folder);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
}

void show_library_path(View& view) {
    std::error_code error;
    for (const fs::path& folder : folders_in(std::getenv("LD_LIBRARY_PATH")))
        if (fs::is_directory(folder, error)) view.shown.push_back({folder});
}

View runner_view() {
    View view{.calls = Calls::runner};
    show_libraries(view);
    return view;
}

Result<EnclosureCommand> enclosure_command(const View& view, const fs::path& init,
                                           std::optional<uid_t> user) {
    const auto program = find_bubblewrap();
    if (!program) return program.error();
    EnclosureCommand out;
    Mounts mounts(user, out);
    for (const Shown& shown : view.shown)
        if (auto status = mounts.show(shown); !status) return status.error();
    for (const auto& [target, path] : view.links)
        mounts.add(path, {"--symlink", target, path.string()});
    std::error_code error;
    for (const fs::path& hidden : view.hidden)
        if (fs::is_directory(hidden, error))
            mounts.add(hidden, {"--size", "4096", "--perms", "0555", "--tmpfs", hidden.string()});
    std::vector<fs::path> devices{"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                  "/dev/urandom"};
    devices.insert(devices.end(), view.devices.begin(), view.devices.end());
    for (const fs::path& device : devices)
        mounts.add(device, {"--dev-bind", device.string(), device.string()});
    if (view.has_proc) mounts.add("/proc", {"--proc", "/proc"});
    mounts.add(view.folder, {"--size", std::to_string(view.folder_bytes), "--tmpfs",
                             view.folder.string()});
    if (auto status = mounts.show({init, init_inside}); !status) return status.error();

    out.arguments = {*program, "--unshare-user", "--unshare-ipc", "--unshare-pid",
                     "--unshare-net", "--unshare-uts", "--unshare-cgroup-try", "--uid",
                     std::to_string(user_inside), "--gid", std::to_string(user_inside),
                     "--hostname", "sandbox", "--cap-drop", "ALL", "--clearenv",
                     "--die-with-parent", "--as-pid-1"};
    mounts.write();
    for (const char* word : {"--remount-ro", "/", "--chdir", "/", "--", init_inside})
        out.arguments.emplace_back(word);
    out.arguments.push_back(view.folder.string());
    if (view.keeps_files) out.arguments.emplace_back("keep");
    return out;
}

}  // namespace cugrade::sandbox
