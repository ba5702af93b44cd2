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

bool is_below(const fs::path& path, const fs::path& folder) {
    return std::ranges::mismatch(folder, path).in1 == folder.end();
}

/// Devices that any program may want.
const std::vector<fs::path>& usual_devices() {
    static const std::vector<fs::path> devices{"/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                               "/dev/urandom"};
    return devices;
}

/// What a maker has been shown, by real paths: where systems have libraries and compilers, and what this
/// process's environment names. Not all of the machine: among the rest may be a file system whose
/// server does not answer.
const std::vector<fs::path>& sources() {
    static const std::vector<fs::path> all = [] {
        std::vector<fs::path> named{"/usr", "/opt", "/etc/alternatives", "/etc/ld.so.cache",
                                    "/sys/kernel/mm/transparent_hugepage"};
        for (const char* libraries : {"/lib", "/lib32", "/lib64", "/libx32"})
            named.emplace_back(libraries);
        for (const char* variable : {"LD_LIBRARY_PATH", "CUGRADE_SANDBOX_SHOW"})
            for (const fs::path& folder : folders_in(std::getenv(variable))) named.push_back(folder);
        std::vector<fs::path> out;
        std::error_code error;
        for (const fs::path& name : named) {
            const fs::path path = fs::canonical(name, error);
            const auto has = [&](const fs::path& folder) { return is_below(path, folder); };
            if (!error && std::ranges::none_of(out, has)) out.push_back(path);
        }
        return out;
    }();
    return all;
}

/// Whether a maker has it.
bool is_shown_to_maker(const fs::path& path, std::optional<uid_t> user) {
    return std::ranges::any_of(sources(), [&](const fs::path& source) {
        return is_below(path, source) && (!user || is_open_to_all(source));
    });
}

/// Adds a file or folder. False: it is a folder, and `can_reach(its real path)` says no.
template <class F>
Result<bool> show(const Shown& shown, F&& can_reach, Mounts& out) {
    const fs::path& there = shown.there.empty() ? shown.here : shown.there;
    // The links on the way to it may be in folders that the user cannot enter.
    std::error_code error;
    const fs::path here = fs::canonical(shown.here, error);
    if (error) return cannot("show in the sandbox", shown.here, error.value());
    if (can_reach(here)) {
        out.all.push_back({.kind = Mount::Kind::show, .here = here, .there = there});
        return true;
    }
    if (!fs::is_regular_file(here, error)) return false;
    process::Descriptor file(::open(here.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) return cannot("show in the sandbox", shown.here, errno);
    out.all.push_back(
        {.kind = Mount::Kind::copy, .there = there, .number = out.descriptors.size()});
    out.descriptors.push_back(std::move(file));
    return true;
}

/// All but the shown files and folders.
void add_others(const View& view, Mounts& out) {
    for (const auto& [target, path] : view.links)
        out.all.push_back({.kind = Mount::Kind::link, .here = target, .there = path});
    std::error_code error;
    for (const fs::path& hidden : view.hidden)
        if (fs::is_directory(hidden, error))
            out.all.push_back({.kind = Mount::Kind::empty, .there = hidden});
    for (const auto& devices : {usual_devices(), view.devices})
        for (const fs::path& device : devices)
            out.all.push_back({.kind = Mount::Kind::device, .here = device, .there = device});
    if (view.has_proc) out.all.push_back({.kind = Mount::Kind::proc, .there = "/proc"});
    out.all.push_back(
        {.kind = Mount::Kind::memory, .there = view.folder, .number = view.folder_bytes});
}

/// What is below another place has to be mounted after it.
void sort(Mounts& mounts) {
    std::ranges::stable_sort(mounts.all, {}, [](const Mount& one) { return fs::path(one.there); });
}

/// Bubblewrap's options for it.
std::vector<std::string> options_of(const Mount& mount) {
    switch (mount.kind) {
        case Mount::Kind::show: return {"--ro-bind", mount.here, mount.there};
        case Mount::Kind::copy:
            return {"--perms", "0555", "--ro-bind-data",
                    std::to_string(first_descriptor + mount.number), mount.there};
        case Mount::Kind::link: return {"--symlink", mount.here, mount.there};
        case Mount::Kind::empty:
            return {"--size", "4096", "--perms", "0555", "--tmpfs", mount.there};
        case Mount::Kind::device: return {"--dev-bind", mount.here, mount.there};
        case Mount::Kind::proc: return {"--proc", mount.there};
        case Mount::Kind::memory:
            return {"--size", std::to_string(mount.number), "--tmpfs", mount.there};
    }
    return {};
}

/// `capabilities`: those that the init has in its user namespace.
Result<EnclosureCommand> command_for(Mounts mounts, const fs::path& init, std::optional<uid_t> user,
                                     const std::vector<std::string>& capabilities) {
    const auto program = find_bubblewrap();
    if (!program) return program.error();
    const auto reaches = [&](const fs::path& path) { return !user || is_open_to_all(path); };
    if (const auto added = show({init, init_inside}, reaches, mounts); !added) return added.error();
    sort(mounts);
    EnclosureCommand out;
    out.arguments = {*program, "--unshare-user", "--unshare-ipc", "--unshare-pid",
                     "--unshare-net", "--unshare-uts", "--unshare-cgroup-try", "--uid",
                     std::to_string(user_inside), "--gid", std::to_string(user_inside),
                     "--hostname", "sandbox", "--cap-drop", "ALL", "--clearenv",
                     "--die-with-parent", "--as-pid-1"};
    for (const std::string& capability : capabilities)
        out.arguments.insert(out.arguments.end(), {"--cap-add", capability});
    for (const Mount& mount : mounts.all)
        for (std::string& option : options_of(mount)) out.arguments.push_back(std::move(option));
    for (const char* word : {"--remount-ro", "/", "--chdir", "/", "--", init_inside})
        out.arguments.emplace_back(word);
    out.descriptors = std::move(mounts.descriptors);
    return out;
}

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

Result<Mounts> mounts_for(const View& view, std::optional<uid_t> user) {
    Mounts out;
    const auto reaches = [&](const fs::path& path) { return !user || is_open_to_all(path); };
    for (const Shown& shown : view.shown) {
        const auto added = show(shown, reaches, out);
        if (!added) return added.error();
        if (!*added)
            return Error{.message = "submissions run as a user of their own, who cannot enter here",
                         .file = shown.here.string(),
                         .remedy = "let others read this folder and enter those above it"};
    }
    add_others(view, out);
    sort(out);
    return out;
}

Result<std::optional<Mounts>> mounts_by_maker(const View& view, std::optional<uid_t> user) {
    if (!view.devices.empty()) return std::optional<Mounts>();
    Mounts out;
    const auto reaches = [&](const fs::path& path) {
        return is_shown_to_maker(path, user) && (!user || is_open_to_all(path));
    };
    for (const Shown& shown : view.shown) {
        const auto added = show(shown, reaches, out);
        if (!added) return added.error();
        if (!*added) return std::optional<Mounts>();
    }
    add_others(view, out);
    sort(out);
    return std::optional(std::move(out));
}

Result<EnclosureCommand> enclosure_command(const View& view, const fs::path& init,
                                           std::optional<uid_t> user) {
    auto mounts = mounts_for(view, user);
    if (!mounts) return mounts.error();
    auto out = command_for(*std::move(mounts), init, user, {});
    if (!out) return out;
    out->arguments.push_back(view.folder.string());
    if (view.keeps_files) out->arguments.emplace_back("keep");
    return out;
}

Result<EnclosureCommand> maker_command(const fs::path& init, std::optional<uid_t> user) {
    const auto inside = [](const fs::path& path) { return source_prefix + path.string(); };
    Mounts mounts;
    for (const fs::path& source : sources())
        if (!user || is_open_to_all(source))
            mounts.all.push_back(
                {.kind = Mount::Kind::show, .here = source, .there = inside(source)});
    for (const fs::path& device : usual_devices())
        mounts.all.push_back(
            {.kind = Mount::Kind::device, .here = device, .there = inside(device)});
    // A new one can be mounted where there is one that is whole.
    mounts.all.push_back({.kind = Mount::Kind::proc, .there = "/proc"});
    mounts.all.push_back({.kind = Mount::Kind::empty, .there = root_before});
    // To make namespaces and mounts; and to take both away from its copies for good.
    return command_for(std::move(mounts), init, user, {"CAP_SYS_ADMIN", "CAP_SETPCAP"});
}

}  // namespace cugrade::sandbox
