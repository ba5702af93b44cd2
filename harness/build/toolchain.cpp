#include "build/toolchain.hpp"

#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/files.hpp"
#include "process/process.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

/// The oldest CUDA Toolkit with an nvcc that takes our flags and leaves PTX as we read it.
constexpr int oldest_toolkit = 12;

std::string environment_or(const char* name, std::string fallback) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : std::move(fallback);
}

/// The output of nvcc -dryrun: nvcc says what it would do, and does nothing.
struct DryRun {
    std::string text;  ///< its settings ("#$ TOP=...") and commands, or why it cannot
    int exit_code = 0;
};

/// Leaves out the flags that the user's environment adds: a build shows what these do.
DryRun dry_run_of(const Toolchain& toolchain) {
    const process::Descriptor said = process::memory_file("nvcc-dry-run");
    process::Program nvcc{
        .path = toolchain.nvcc.string(),
        .arguments = {toolchain.nvcc.string(), "-ccbin", toolchain.host_compiler.string(),
                      "-dryrun", "-x", "cu", "-c", "/dev/null", "-o", "/dev/null"},
        .environment = process::own_environment(),
        .output = said.get(),
        .errors = said.get()};
    std::erase_if(nvcc.environment, [](const std::string& variable) {
        return variable.starts_with("NVCC_PREPEND_FLAGS=") ||
               variable.starts_with("NVCC_APPEND_FLAGS=");
    });
    process::Failure why;
    auto child = process::start(nvcc, why);
    if (!child) return {why.text(), 127};
    const process::Ended how = child->wait();
    return {process::text_of(said), how.signal != 0 ? 128 + how.signal : how.exit_code};
}

/// The text between `label` and the first of `ends` in a dry run; empty if `label` is not there.
std::string after(std::string_view text, std::string_view label, std::string_view ends) {
    const std::size_t at = text.find(label);
    if (at == std::string_view::npos) return "";
    text.remove_prefix(at + label.size());
    return std::string(text.substr(0, text.find_first_of(ends)));
}

/// "13.0.88", from the macros that nvcc defines.
std::string version_in(std::string_view dry_run) {
    std::string version;
    for (const std::string_view part : {"MAJOR", "MINOR", "BUILD"}) {
        const std::string number = after(dry_run, fmt::format("-D__CUDACC_VER_{}__=", part), " \n");
        if (number.empty()) return "";
        version += (version.empty() ? "" : ".") + number;
    }
    return version;
}

/// Looks where nvcc's own link would look, then where distributions put it, then where cugrade
/// itself was linked. nvcc is asked, because the nvcc on the PATH may be a script or a link from
/// elsewhere.
fs::path find_cudart_static(std::string_view dry_run) {
    std::vector<fs::path> folders;
    std::string_view libraries = dry_run;
    if (const std::size_t at = libraries.find("LIBRARIES="); at != std::string_view::npos)
        libraries = libraries.substr(at, libraries.find('\n', at) - at);
    else
        libraries = {};
    for (std::size_t at = 0; (at = libraries.find("-L", at)) != std::string_view::npos;) {
        at += 2;
        folders.emplace_back(libraries.substr(at, libraries.find_first_of("\" ", at) - at));
    }
    if (const std::string top = after(dry_run, "#$ TOP=", "\n"); !top.empty())
        for (const char* folder :
             {"lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib", "lib"})
            folders.push_back(fs::path(top) / folder);
    folders.emplace_back("/usr/lib/x86_64-linux-gnu");
    folders.emplace_back(CUGRADE_CUDA_LIBRARIES);
    for (const fs::path& folder : folders) {
        std::error_code error;
        fs::path library = fs::canonical(folder / "libcudart_static.a", error);
        if (!error) return library;
    }
    return {};
}

/// The line that says most about the cause: nvcc's own last words, or else the first line.
std::string reason_in(std::string_view text) {
    if (const std::size_t fatal = text.find("nvcc fatal"); fatal != std::string_view::npos)
        text.remove_prefix(
            text.find(": ", fatal) == std::string_view::npos ? fatal : text.find(": ", fatal) + 2);
    std::string line(text.substr(0, text.find('\n')));
    while (!line.empty() && (line.back() == '.' || line.back() == '\r')) line.pop_back();
    return line;
}

/// The error for an nvcc that has not told its version.
Error does_not_work(const Toolchain& toolchain, const DryRun& dry_run) {
    Error error{.message = {},
                .file = toolchain.nvcc.string(),
                .remedy = "set CUGRADE_NVCC to the path of nvcc"};
    const std::string reason = reason_in(dry_run.text);
    if (dry_run.text.find("nvcc fatal") != std::string::npos) {
        error.message = fmt::format("nvcc cannot compile with {}: {}",
                                    toolchain.host_compiler.string(), reason);
        error.remedy = "install a g++ that this nvcc takes, or name one with NVCC_CCBIN";
    } else if (dry_run.exit_code != 0) {
        error.message = fmt::format("nvcc cannot be run: it ends with exit code {}{}{}",
                                    dry_run.exit_code, reason.empty() ? "" : ": ", reason);
        error.remedy = "install the CUDA Toolkit again, or set CUGRADE_NVCC to the path of nvcc";
    } else {
        error.message = "this is not nvcc: it does not say what nvcc says";
    }
    return error;
}

Result<fs::path> find_nvcc(const std::string& path) {
    if (const std::string named = environment_or("CUGRADE_NVCC", ""); !named.empty()) {
        // A user who names one nvcc wants no other.
        const std::string program = sandbox::find_program(named, path);
        std::error_code error;
        if (fs::is_regular_file(program, error) && ::access(program.c_str(), X_OK) == 0)
            return fs::absolute(program, error);
        return Error{.message = "CUGRADE_NVCC names no program",
                     .file = named,
                     .remedy = "set CUGRADE_NVCC to the path of nvcc, or unset it"};
    }
    std::vector<std::string> tried;
    for (const std::string& candidate : {environment_or("CUDACXX", ""), std::string("nvcc"),
                                         std::string("/usr/local/cuda/bin/nvcc")}) {
        if (candidate.empty()) continue;
        const std::string program = sandbox::find_program(candidate, path);
        std::error_code error;
        if (fs::is_regular_file(program, error) && ::access(program.c_str(), X_OK) == 0)
            return fs::absolute(program, error);
        tried.push_back(program);
    }
    return Error{.message = fmt::format("no nvcc: tried {}", fmt::join(tried, ", ")),
                 .remedy = "install the CUDA Toolkit, or set CUGRADE_NVCC to the path of nvcc"};
}

Result<fs::path> find_host_compiler(const std::string& path) {
    const std::string compiler = environment_or("NVCC_CCBIN", "g++");
    std::error_code error;
    const fs::path found = fs::is_directory(compiler, error)
                               ? fs::path(compiler) / "g++"
                               : fs::path(sandbox::find_program(compiler, path));
    if (fs::is_regular_file(found, error) && ::access(found.c_str(), X_OK) == 0) return found;
    if (compiler == "g++")
        return Error{.message = "no host compiler: g++ is not in PATH",
                     .remedy = "install g++, or set NVCC_CCBIN to the path of a C++ compiler"};
    return Error{.message = "no host compiler: NVCC_CCBIN names no program",
                 .file = compiler,
                 .remedy = "set NVCC_CCBIN to the path of a C++ compiler, or unset it"};
}

}  // namespace

std::string search_path() { return environment_or("PATH", "/usr/local/bin:/usr/bin:/bin"); }

Result<Toolchain> Toolchain::find() {
    const std::string path = search_path();
    auto nvcc = find_nvcc(path);
    if (!nvcc) return nvcc.error();
    if (auto temporary = temporary_folder(); !temporary) return temporary.error();
    auto host_compiler = find_host_compiler(path);
    if (!host_compiler) return host_compiler.error();
    Toolchain toolchain{.nvcc = *std::move(nvcc),
                        .nvcc_version = {},
                        .host_compiler = *std::move(host_compiler),
                        .cudart_static = {},
                        .toolkit = {},
                        .headers = {}};
    const DryRun dry_run = dry_run_of(toolchain);
    toolchain.nvcc_version = version_in(dry_run.text);
    if (toolchain.nvcc_version.empty()) return does_not_work(toolchain, dry_run);
    if (std::atoi(toolchain.nvcc_version.c_str()) < oldest_toolkit)
        return Error{.message = fmt::format("nvcc {} is too old: cugrade needs the CUDA Toolkit {} "
                                            "or newer",
                                            toolchain.nvcc_version, oldest_toolkit),
                     .file = toolchain.nvcc.string(),
                     .remedy = "install a newer one, or set CUGRADE_NVCC to the path of its nvcc"};
    toolchain.cudart_static = find_cudart_static(dry_run.text);
    std::error_code error;
    toolchain.toolkit = fs::canonical(after(dry_run.text, "#$ TOP=", "\n"), error);
    toolchain.headers = after(dry_run.text, "#$ INCLUDES=\"-I", "\"\n");
    return toolchain;
}

}  // namespace cugrade
