#include "build/build_commands.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "build/nvcc.hpp"
#include "core/files.hpp"
#include "datasets/seeds.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* device_object = "device-link.o";
constexpr const char* stand_ins_object = "stand-ins.o";

}  // namespace

bool BuildCommands::may_be_separate() const {
    return std::ranges::any_of(request.assignment->tasks, &TaskSpec::dynamic_parallelism);
}

std::vector<std::string> BuildCommands::language_flags() const {
    std::vector<std::string> flags{"-std=c++17", "-O2", "-lineinfo", constexpr_flag};
    if (separate) flags.emplace_back("-rdc=true");
    flags.insert(flags.end(), {"-ccbin", toolchain.host_compiler.string(), "-I",
                               request.assignment->folder.string()});
    return flags;
}

std::vector<std::string> BuildCommands::compile_flags() const {
    std::vector<std::string> flags = language_flags();
    flags.insert(flags.end(), {"-Xcompiler", host_flags});
    if (!for_gpu()) {
        flags.insert(flags.end(),
                     {"-cudart", "none", "--threads", std::to_string(request.target.archs.size())});
        for (const int arch : request.target.archs)
            flags.insert(flags.end(),
                         {"-gencode", fmt::format("arch=compute_{0},code=compute_{0}", arch)});
    } else {
        flags.insert(flags.end(),
                     {"-gencode", fmt::format("arch=compute_{0},code=[sm_{0},compute_{0}]",
                                              request.target.archs.front())});
    }
    return flags;
}

std::vector<std::string> BuildCommands::compile(const Unit& unit) const {
    std::vector<std::string> argv{toolchain.nvcc.string()};
    for (std::string& flag : compile_flags()) argv.push_back(std::move(flag));
    argv.insert(argv.end(), {"-c", unit.source, "-o", "../" + unit.object});
    return argv;
}

std::vector<std::string> BuildCommands::compile_as_written(const Unit& unit, int arch) const {
    std::vector<std::string> argv{toolchain.nvcc.string()};
    for (std::string& flag : language_flags()) argv.push_back(std::move(flag));
    argv.insert(argv.end(), {"-Xcicc", "-O1", "-ptx", "-arch", fmt::format("compute_{}", arch),
                             unit.source, "-o", "../" + unit.ptx()});
    return argv;
}

fs::path BuildCommands::runner_library() const { return home.lib / "libcugrade_runner.a"; }
fs::path BuildCommands::tasks_library() const {
    return home.lib / fmt::format("libtasks_{}.a", request.assignment->id);
}

fs::path BuildCommands::cuda_library() const {
    return for_gpu() ? toolchain.cudart_static : home.lib / "libcugrade_cudart.a";
}

fs::path BuildCommands::device_library() const {
    return toolchain.cudart_static.parent_path() / "libcudadevrt.a";
}

std::vector<std::string> BuildCommands::link_device(const std::vector<Unit>& units) const {
    std::vector<std::string> objects;
    for (const Unit& unit : units) objects.push_back(unit.object);
    return device_link(toolchain, request.target, objects, device_object);
}

std::vector<std::string> BuildCommands::compile_stand_ins() const {
    return {toolchain.host_compiler.string(), "-c", fmt::format("src/{}", stand_ins_source), "-o",
            stand_ins_object};
}

std::vector<std::string> BuildCommands::link(const std::vector<Unit>& units,
                                             bool with_stand_ins) const {
    // The runner comes first, so if there are two mains the linker reports the student's as the
    // extra one.
    std::vector<std::string> argv{toolchain.host_compiler.string(),
                                  "-o",
                                  "runner",
                                  "-Wl,--whole-archive",
                                  runner_library().string(),
                                  "-Wl,--no-whole-archive"};
    for (const Unit& unit : units) argv.push_back(unit.object);
    if (separate) {
        argv.emplace_back(device_object);
        if (for_gpu()) argv.push_back(device_library().string());
    }
    if (with_stand_ins) argv.emplace_back(stand_ins_object);
    if (for_gpu()) argv.emplace_back("-Wl,--wrap=cudaDeviceReset");  // runner/main.cpp says why
    argv.insert(argv.end(),
                {tasks_library().string(), cuda_library().string(), "-ldl", "-lrt", "-lpthread"});
    return argv;
}

std::vector<fs::path> BuildCommands::interface_files() const {
    std::vector<fs::path> out;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(request.assignment->folder, error))
        if (const auto extension = entry.path().extension();
            extension == ".cuh" || extension == ".h")
            out.push_back(entry.path());
    std::ranges::sort(out);
    return out;
}

std::string BuildCommands::key(const Submission& submission) const {
    std::string text = "cugrade build key 3\n";
    const auto add = [&text](std::string_view label, std::string_view value) {
        text += fmt::format("{} {}\n{}\n", label, value.size(), value);
    };
    add("version", CUGRADE_VERSION);
    add("nvcc", toolchain.nvcc.string() + " " + toolchain.nvcc_version);
    std::error_code error;
    add("host compiler",
        fmt::format(
            "{} {} {}", toolchain.host_compiler.string(),
            fs::file_size(toolchain.host_compiler, error),
            fs::last_write_time(toolchain.host_compiler, error).time_since_epoch().count()));
    for (const std::string& flag : compile_flags()) add("flag", flag);
    for (const std::string& word : link({})) add("link", word);
    if (may_be_separate()) add("dynamic parallelism", "allowed");
    // A file that cannot be read makes the build fail, and the build reports it.
    const auto add_file = [&add](std::string_view label, const fs::path& file) {
        const auto content = read_file(file);
        add(label, content ? datasets::sha256(*content) : std::string());
    };
    for (const fs::path& library : {runner_library(), tasks_library(), cuda_library()})
        add_file("library", library);
    for (const fs::path& file : interface_files()) {
        add("interface", file.filename().string());
        add_file("text", file);
    }
    for (const ForbiddenInstruction& rule : request.assignment->forbidden) {
        add("forbidden", rule.opcode);
        for (const std::string& modifier : rule.modifiers) add("modifier", modifier);
        add("message", rule.message);
    }
    for (const std::string& unit : submission.units) add("unit", unit);
    for (const SourceFile& file : submission.files) {
        add("file", file.name);
        add("text", file.text);
    }
    return datasets::sha256(text);
}

std::vector<std::string> device_link(const Toolchain& toolchain, const BuildTarget& target,
                                     const std::vector<std::string>& objects,
                                     const std::string& table) {
    std::vector<std::string> argv{toolchain.nvcc.string(),
                                  "-ccbin",
                                  toolchain.host_compiler.string(),
                                  "-rdc=true",
                                  "-dlink",
                                  "-o",
                                  table};
    if (target.backend == BuildTarget::Backend::emulator) {
        // The PTX is linked when it is loaded, and the device runtime is the emulator's.
        // nvlink 13.0 does not take a name as long as compute_120. The table is the same for every
        // architecture.
        const int arch = std::min(*std::ranges::min_element(target.archs), 90);
        argv.insert(argv.end(), {"-gencode", fmt::format("arch=compute_{0},code=compute_{0}", arch),
                                 "-cudadevrt", "none", "-Xnvlink", "--suppress-arch-warning"});
    } else {
        argv.insert(argv.end(), {"-gencode", fmt::format("arch=compute_{0},code=sm_{0}",
                                                         target.archs.front())});
    }
    argv.insert(argv.end(), objects.begin(), objects.end());
    return argv;
}

}  // namespace cugrade
