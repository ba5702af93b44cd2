// nvcc gives names without external linkage a suffix of its own, `3f2a91c0_10_student_cu`, which
// depends on the path of the file. Where each build has a folder of its own, the same kernel is
// called otherwise in the next one, and gets its first name back here.
#include "build/device_code.hpp"

#include <algorithm>
#include <ranges>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "build/build_commands.hpp"
#include "build/build_submission.hpp"
#include "build/build_tools.hpp"
#include "build/nvcc.hpp"
#include "build/work_folder.hpp"
#include "core/files.hpp"
#include "emulator/ptx/fatbin.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t digits_of_path = 8;

/// What follows the digits: `_10_student_cu`.
std::string file_in_names(const std::string& source) {
    std::string name = source;
    for (char& c : name)
        if (c == '.' || c == '-' || c == '+') c = '_';
    return fmt::format("_{}_{}", name.size(), name);
}

/// The digits before the first such suffix; empty if there is none.
std::string digits_before(const std::string& text, const std::string& file) {
    const std::size_t at = text.find(file);
    return at == std::string::npos || at < digits_of_path
               ? std::string()
               : text.substr(at - digits_of_path, digits_of_path);
}

/// Gives names the digits that they have in `original`.
void rename_like(const std::string& original, const std::string& file, std::string& text) {
    const std::string wanted = digits_before(original, file), found = digits_before(text, file);
    if (wanted.empty() || found.empty() || wanted == found) return;
    for (std::size_t at = 0; (at = text.find(found + file, at)) != std::string::npos;
         at += found.size())
        text.replace(at, found.size(), wanted);
}

/// The PTX for `arch` of each container; empty if it has none.
Result<std::vector<std::string>> texts_of(const fs::path& executable, int arch) {
    const auto containers = device_code_of(executable);
    if (!containers) return containers.error();
    std::vector<std::string> out;
    for (std::span<const std::byte> rest = *containers; !rest.empty();) {
        const auto size = ptx::container_size(rest);
        if (!size) return size.error();
        auto entries = ptx::read_container(rest.first(*size));
        if (!entries) return entries.error();
        const auto fitting = std::ranges::find(*entries, arch, &ptx::FatbinPtx::arch);
        out.push_back(fitting == entries->end() ? std::string() : std::move(fitting->text));
        rest = rest.subspan(*size);
    }
    return out;
}

}  // namespace

Result<std::vector<std::byte>> device_code_of(const fs::path& executable) {
    return ptx::containers_of(executable);
}

Result<std::optional<std::vector<std::string>>> device_code_as_written(const Home& home,
                                                                       const Toolchain& toolchain,
                                                                       const BuildRequest& request,
                                                                       const fs::path& executable,
                                                                       int arch) {
    using Code = std::optional<std::vector<std::string>>;
    auto texts = texts_of(executable, arch);
    if (!texts) return texts.error();
    const auto submission = read_submission(request.source);
    if (!submission) return submission.error();
    const auto work = WorkFolder::make();
    if (!work) return work.error();
    const auto units = write_sources(*submission, *work);
    if (!units) return units.error();
    const auto has_code = [](const std::string& text) { return !text.empty(); };
    if (std::ranges::count_if(*texts, has_code) != std::ssize(*units)) return Code();

    BuildCommands commands{home, toolchain, request};
    // Kernels launch kernels by functions of these names.
    commands.separate = std::ranges::any_of(*texts, [](const std::string& text) {
        return text.find("cudaCDP2LaunchDevice") != std::string::npos;
    });
    BuildTools tools(commands, *work);
    if (auto ready = tools.enclose(); !ready) return ready.error();
    auto unit = units->begin();
    for (std::string& text : *texts | std::views::filter(has_code)) {
        const auto compiled = compile_file(
            commands.compile_as_written(*unit, arch), [&](std::vector<std::string> command) {
                return tools.run(std::move(command), BuildTools::In::source);
            });
        if (!compiled) return compiled.error();
        if (!succeeded(*compiled)) return Code();
        if (auto fetched = tools.fetch(unit->ptx()); !fetched) return fetched.error();
        auto as_written = read_file(work->path() / unit->ptx());
        if (!as_written) return as_written.error();
        rename_like(text, file_in_names(unit->source), *as_written);
        text = *std::move(as_written);
        ++unit;
    }
    return Code(*std::move(texts));
}

}  // namespace cugrade
