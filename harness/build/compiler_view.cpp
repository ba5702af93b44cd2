#include "build/compiler_view.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

namespace cugrade {
namespace {

namespace fs = std::filesystem;

/// Enough for any honest submission: objects and intermediate files are of some 10 MiB.
constexpr std::uint64_t work_folder_bytes = std::uint64_t{1} << 30;

bool is_below(const fs::path& path, const fs::path& folder) {
    const auto [in_folder, in_path] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return in_folder == folder.end();
}

class Shower {
public:
    explicit Shower(sandbox::View& view) : view_(view) {}

    /// Shows a file or folder where it is there, under its name and all that this name links to:
    /// nvcc at /usr/local/cuda/bin finds its parts by going up from that name.
    void show(const fs::path& named) {
        std::error_code error;
        fs::path path = fs::absolute(named, error).lexically_normal();
        if (!path.has_filename()) path = path.parent_path();
        if (!fs::exists(path, error)) return;
        constexpr int most_links = 40;  // as Linux has it
        for (int links = 0; links < most_links; ++links) {
            const auto next = follow_first_link(path);
            if (!next) break;
            path = *next;
        }
        if (!is_shown(path)) view_.shown.push_back({path});
    }

private:
    [[nodiscard]] bool is_shown(const fs::path& path) const {
        return std::ranges::any_of(view_.shown, [&](const sandbox::Shown& shown) {
            return is_below(path, shown.here);
        });
    }

    /// Makes the first symbolic link in a path in the view, too, and returns where the path leads
    /// by it. Nothing if the path has none.
    std::optional<fs::path> follow_first_link(const fs::path& path) {
        fs::path at, rest;
        std::optional<std::string> target;
        std::error_code error;
        for (const fs::path& part : path) {
            if (target) {
                rest /= part;
                continue;
            }
            at /= part;
            if (fs::is_symlink(at, error)) target = fs::read_symlink(at, error).string();
        }
        if (!target) return std::nullopt;
        const std::pair<std::string, fs::path> link(*target, at);
        if (!is_shown(at) && std::ranges::find(view_.links, link) == view_.links.end())
            view_.links.push_back(link);
        return (at.parent_path() / *target / rest).lexically_normal();
    }

    sandbox::View& view_;
};

}  // namespace

sandbox::View compiler_view(const BuildCommands& commands) {
    sandbox::View view{.calls = sandbox::Calls::compiler,
                       .folder = enclosed_work_folder,
                       .folder_bytes = work_folder_bytes,
                       .keeps_files = true};
    show_libraries(view);
    Shower shower(view);
    std::error_code error;
    for (const char* folder : {"/usr/bin", "/usr/include", "/usr/libexec", "/usr/local/include",
                               "/etc/alternatives", "/bin"})
        shower.show(folder);

    shower.show("/sys/kernel/mm/transparent_hugepage");  // where glibc asks for heap_of_compilers
    // Where cicc's allocator asks whether memory that is mapped has to be there. If it cannot know,
    // it maps its heap in a thousand small pieces, which costs 5 % of the compile.
    shower.show("/proc/sys/vm/overcommit_memory");

    const Toolchain& toolchain = commands.toolchain;
    if (toolchain.toolkit != "/usr") shower.show(toolchain.toolkit);
    shower.show(toolchain.nvcc.parent_path());
    shower.show(toolchain.cudart_static.parent_path());
    // A compiler that is not the distribution's has its parts beside its folder of programs.
    if (const fs::path compiler = fs::canonical(toolchain.host_compiler, error);
        !error && !is_below(compiler, "/usr/bin"))
        shower.show(compiler.parent_path().parent_path());
    shower.show(toolchain.host_compiler.parent_path());
    for (const char* value : {std::getenv("LD_LIBRARY_PATH"), std::getenv("CUGRADE_SANDBOX_SHOW")})
        for (const fs::path& more : sandbox::folders_in(value)) shower.show(more);

    for (const fs::path& library :
         {commands.runner_library(), commands.tasks_library(), commands.cuda_library()})
        shower.show(library);
    for (const fs::path& file : commands.interface_files()) shower.show(file);
    view.hidden = {commands.home.share, commands.home.libexec};
    std::erase_if(view.hidden, [&](const fs::path& folder) {
        return std::ranges::none_of(view.shown, [&](const sandbox::Shown& shown) {
            return is_below(folder, shown.here);
        });
    });
    return view;
}

}  // namespace cugrade
