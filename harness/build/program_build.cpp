// Theory of operation. The files are compiled where they are, under the names that the user gave,
// so nvcc's messages and #include work as they would without us. Each file is compiled by itself,
// several at once. They are linked with our CUDA runtime in place of NVIDIA's. The build cache
// keeps the executable under a key of all that it depends on: what we and the environment tell
// nvcc, and the files that the compilers and the linker report as read (build_dependencies.hpp).
#include "build/program_build.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <future>
#include <set>
#include <string_view>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "build/build.hpp"
#include "build/build_cache.hpp"
#include "build/build_dependencies.hpp"
#include "build/build_lacking.hpp"
#include "build/nvcc.hpp"
#include "core/files.hpp"
#include "datasets/seeds.hpp"
#include "emulator/ptx/unresolved.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t program_output_bytes = std::uint64_t{16} << 20;

/// The variables that nvcc, the host compiler and the linker read, besides those that begin with
/// NVCC_.
constexpr std::array<std::string_view, 20> compiler_variables{"PATH",
                                                              "CPATH",
                                                              "C_INCLUDE_PATH",
                                                              "CPLUS_INCLUDE_PATH",
                                                              "LIBRARY_PATH",
                                                              "INCLUDES",
                                                              "LIBRARIES",
                                                              "SYSTEM_INCLUDES",
                                                              "CUDAFE_FLAGS",
                                                              "PTXAS_FLAGS",
                                                              "COMPILER_PATH",
                                                              "GCC_EXEC_PREFIX",
                                                              "LD_LIBRARY_PATH",
                                                              "LD_RUN_PATH",
                                                              "LDEMULATION",
                                                              "SOURCE_DATE_EPOCH",
                                                              "CUDA_PATH",
                                                              "CUDA_HOME",
                                                              "CICC_PATH",
                                                              "NVVMIR_LIBRARY_DIR"};

bool is_linked_as_it_is(const std::string& file) {
    const std::string extension = fs::path(file).extension().string();
    return extension == ".o" || extension == ".a" || extension == ".so";
}

bool starts_with_any(std::string_view flag, std::initializer_list<std::string_view> starts) {
    return std::ranges::any_of(starts, [flag](std::string_view s) { return flag.starts_with(s); });
}

class ProgramBuilder {
public:
    ProgramBuilder(const Home& home, const Toolchain& toolchain, const ProgramRequest& request,
                   TemporaryFolder work)
        : home_(home),
          toolchain_(toolchain),
          request_(request),
          work_(std::move(work)),
          library_(home.lib / "libcugrade_cudart.a") {
        for (const std::string& file : request.files)
            (is_linked_as_it_is(file) ? linked_ : sources_).push_back(file);
        const auto given = [&](std::initializer_list<std::string_view> flags) {
            return std::ranges::any_of(request_.nvcc_flags, [&](const std::string& f) {
                return std::ranges::find(flags, f) != flags.end();
            });
        };
        const bool kept_apart = given({"-rdc=false", "--relocatable-device-code=false"});
        separate_ = !kept_apart &&
                    (request_.separate || sources_.size() > 1 ||
                     given({"-rdc=true", "--relocatable-device-code=true", "-dc", "--device-c"}) ||
                     std::ranges::any_of(linked_, has_relocatable_code));
        debug_ = given({"-G", "--device-debug"});
        follows_ = std::ranges::none_of(request_.nvcc_flags, [](const std::string& flag) {
            return starts_with_any(flag, {"-M", "--generate-", "--dependency-"});
        });
    }

    Result<Program> run() {
        auto cache = BuildCache::open();
        if (!cache) return cache.error();
        const fs::file_time_type start = fs::file_time_type::clock::now();
        const std::string words = words_key();
        Dependencies known = dependencies();
        if (const auto note = cache->find_note(words)) {
            known.from_text(*note);
            auto found = cache->find(key_of(words, known));
            if (found && found->build)
                return Program{found->build->executable, found->build->compiler_output};
        }
        Program program;
        const fs::path executable = work_.path() / "program";
        auto made = make(executable, program.said);
        if (!made) return made.error();
        if (!*made) return program;

        Dependencies read = dependencies();
        const bool told = take_dependencies(read);
        std::string key;
        if (told && read.unclear(start).empty()) {
            read.look_for_gaps();
            key = key_of(words, read);
            cache->store_note(words, read.text());
        }
        BuildOutcome outcome;
        outcome.build = Build{.executable = executable, .compiler_output = program.said};
        auto stored = cache->store(key, std::move(outcome));
        if (!stored) return stored.error();
        program.executable = stored->build->executable;
        return program;
    }

private:
    /// Returns whether the executable was made. The tools' output goes to `said`.
    Result<bool> make(const fs::path& executable, std::string& said) {
        std::vector<std::string> objects;
        auto compiled = compile_all(objects, said);
        if (!compiled || !*compiled) return compiled;
        objects.insert(objects.end(), linked_.begin(), linked_.end());
        if (separate_) {
            const std::string table = (work_.path() / "device.o").string();
            auto outcome =
                tool(device_link(toolchain_, {.archs = {request_.ptx_arch}}, objects, table));
            if (!outcome) return outcome.error();
            if (!succeeded(*outcome)) {
                said += outcome->output;
                return false;
            }
            objects.push_back(table);
        }
        auto linked = link_with_stand_ins(objects, executable, said);
        if (!linked || !*linked) return linked;
        return check_resolved(executable, said);
    }

    Result<bool> compile_all(std::vector<std::string>& objects, std::string& said) const {
        const auto launch = std::thread::hardware_concurrency() > 1 && sources_.size() > 1
                                ? std::launch::async
                                : std::launch::deferred;
        std::vector<std::future<Result<sandbox::Outcome>>> running;
        for (const std::string& file : sources_) {
            const std::string stem = (work_.path() / std::to_string(objects.size())).string();
            objects.push_back(stem + ".o");
            std::vector<std::string> words = compile_words();
            if (follows_) words.insert(words.end(), {"-MD", "-MF", stem + ".d"});
            words.insert(words.end(), {"-c", file, "-o", stem + ".o"});
            running.push_back(std::async(launch, [this, words = std::move(words)] {
                return compile_file(words, [this](std::vector<std::string> command) {
                    return tool(std::move(command));
                });
            }));
        }
        bool good = true;
        std::optional<Error> error;
        for (auto& one : running) {
            const auto outcome = one.get();
            if (!outcome) {
                error = outcome.error();
                continue;
            }
            said += outcome->output;
            good = good && succeeded(*outcome);
        }
        if (error) return *error;
        return good;
    }

    /// Functions of CUDA's runtime that ours lacks get stand-ins: calling one is an error; a call
    /// that never runs is none.
    Result<bool> link_with_stand_ins(std::vector<std::string>& objects, const fs::path& executable,
                                     std::string& said) const {
        auto outcome = link(objects, executable);
        if (!outcome) return outcome.error();
        const auto runtime = runtime_functions(toolchain_.cudart_static);
        if (const auto lacking = lacking_functions(outcome->output, runtime, source_texts());
            !succeeded(*outcome) && !lacking.empty()) {
            const std::string source = (work_.path() / "stand-ins.cpp").string();
            objects.push_back((work_.path() / "stand-ins.o").string());
            std::ofstream(source) << stand_ins(lacking);
            outcome = tool({toolchain_.host_compiler.string(), "-c", source, "-o", objects.back()});
            if (outcome && succeeded(*outcome)) outcome = link(objects, executable);
            if (!outcome) return outcome.error();
        }
        said += outcome->output;
        if (succeeded(*outcome)) return true;
        if (separate_ && outcome->output.find("ultiple definition") != std::string::npos)
            said +=
                "cugrade: several files are compiled with -rdc=true, so that they can use each "
                "other's device code;\n  --nvcc-flag=-rdc=false keeps it apart, or make one of "
                "the definitions static\n";
        for (const UndefinedReference& one : undefined_references(outcome->output)) {
            if (!is_called_like_the_runtime(one.symbol)) continue;
            said += "cugrade: " + no_such_function(one.symbol, runtime) + "\n";
        }
        return false;
    }

    [[nodiscard]] std::vector<NamedText> source_texts() const {
        std::vector<NamedText> out;
        for (const std::string& file : sources_)
            if (auto text = read_file(file)) out.emplace_back(file, *std::move(text));
        return out;
    }

    Result<sandbox::Outcome> link(const std::vector<std::string>& objects,
                                  const fs::path& executable) const {
        // Libraries among the user's flags come after the objects that need them.
        std::vector<std::string> words = common_words();
        words.insert(words.end(), {"-cudart", "none", "-o", executable.string()});
        words.insert(words.end(), objects.begin(), objects.end());
        for (const std::string& flag : request_.nvcc_flags)
            if (!starts_with_any(flag, {"-rdc", "--relocatable"}) && flag != "-dc" &&
                flag != "--device-c")
                words.push_back(flag);
        words.insert(words.end(), {library_.string(), "-ldl", "-lrt", "-lpthread"});
        if (!follows_) return tool(std::move(words), true);
        std::vector<std::string> telling = words;
        telling.insert(telling.end(), {"-Xlinker", "--dependency-file=" + link_list()});
        auto outcome = tool(std::move(telling), true);
        // A linker that does not know this option still links.
        if (outcome && !succeeded(*outcome) &&
            outcome->output.find("--dependency-file") != std::string::npos)
            outcome = tool(std::move(words), true);
        return outcome;
    }

    /// Reports undefined symbols as nvcc's device linker would.
    Result<bool> check_resolved(const fs::path& executable, std::string& said) const {
        auto images = ptx::read_object(executable);
        if (!images) return true;  // no device code
        const auto unresolved = ptx::find_unresolved(std::move(*images), separate_);
        for (const ptx::Unresolved& one : unresolved)
            said += fmt::format(
                "{}error: undefined reference to the __device__ {} `{}`{}: it is declared and "
                "nowhere defined\n",
                one.file.empty() ? "" : fmt::format("{}:{}:{}: ", one.file, one.line, one.column),
                one.is_function ? "function" : "variable", one.name,
                one.from.empty() ? "" : fmt::format(" in `{}`", one.from));
        if (!unresolved.empty() && !separate_)
            said +=
                "cugrade: define it in the same file, or compile with --rdc together with the file "
                "that does\n";
        return unresolved.empty();
    }

    [[nodiscard]] std::string link_list() const { return (work_.path() / "link.d").string(); }

    /// False if one of the lists is missing.
    bool take_dependencies(Dependencies& read) const {
        if (!follows_) return false;
        std::vector<std::string> lists{link_list()};
        for (std::size_t n = 0; n < sources_.size(); ++n)
            lists.push_back((work_.path() / fmt::format("{}.d", n)).string());
        for (const std::string& list : lists) {
            const auto text = read_file(list);
            if (!text || text->empty()) return false;
            auto files = prerequisites(*text);
            std::erase_if(files, [&](const std::string& file) {  // our own intermediate files
                return file.starts_with(work_.path().string());
            });
            read.add(files);
        }
        read.add({library_.string()});
        return true;
    }

    /// An empty list, with the folders in which headers are looked for.
    [[nodiscard]] Dependencies dependencies() const {
        std::error_code error;
        const fs::path top =
            fs::weakly_canonical(toolchain_.nvcc, error).parent_path().parent_path();
        std::vector<std::string> system{"/usr/", "/lib/", "/lib64/"};
        for (const fs::path& root : {top, toolchain_.nvcc.parent_path().parent_path()})
            if (root.has_relative_path()) system.push_back((root.lexically_normal() / "").string());
        std::vector<std::string> folders;
        const auto add_list = [&folders](std::string_view list, char separator) {
            while (!list.empty()) {
                const std::size_t end = std::min(list.find(separator), list.size());
                if (end > 0) folders.emplace_back(list.substr(0, end));
                list.remove_prefix(std::min(end + 1, list.size()));
            }
        };
        bool is_next = false;
        for (const std::string& flag : request_.nvcc_flags) {
            if (is_next) add_list(flag, ',');
            is_next = flag == "-I" || flag == "-isystem" || flag == "--include-path" ||
                      flag == "--system-include";
            for (const std::string_view name :
                 {"-I", "-isystem", "-iquote", "--include-path=", "--system-include="})
                if (const std::size_t at = flag.find(name); at != std::string::npos && !is_next)
                    add_list(std::string_view(flag).substr(std::min(
                                 flag.find_first_not_of("=,", at + name.size()), flag.size())),
                             ',');
        }
        for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
            if (const char* value = std::getenv(name)) add_list(value, ':');
        return {std::move(system), std::move(folders)};
    }

    [[nodiscard]] std::vector<std::string> common_words() const {
        return {toolchain_.nvcc.string(), "-ccbin", toolchain_.host_compiler.string(), "-gencode",
                fmt::format("arch=compute_{0},code=compute_{0}", request_.ptx_arch)};
    }
    [[nodiscard]] std::vector<std::string> compile_words() const {
        std::vector<std::string> words = common_words();
        words.insert(words.end(), {"-cudart", "none", "-Xcompiler", "-O2", "-Xcompiler", host_flags});
        words.emplace_back(constexpr_flag);
        if (!debug_) words.emplace_back("-lineinfo");
        if (separate_) words.emplace_back("-rdc=true");
        words.insert(words.end(), request_.nvcc_flags.begin(), request_.nvcc_flags.end());
        return words;
    }

    /// The hash of everything that the tools are told, except the files that they report as read.
    [[nodiscard]] std::string words_key() const {
        std::string text = "cugrade program key 2\n";
        const auto add = [&text](std::string_view value) {
            text += fmt::format("{}\n{}\n", value.size(), value);
        };
        const auto add_program = [&](const fs::path& file) {
            std::error_code error;
            add(fmt::format("{} {} {}", file.string(), fs::file_size(file, error),
                            fs::last_write_time(file, error).time_since_epoch().count()));
        };
        std::error_code error;
        add(CUGRADE_VERSION);
        add(toolchain_.nvcc_version);
        add_program(toolchain_.nvcc);
        add_program(toolchain_.host_compiler);
        // The line information also holds the folder that relative names start from.
        add(fs::current_path(error).string());
        for (const std::string& word : compile_words()) add(word);
        for (const std::string& file : request_.files) add(file);
        add(separate_ ? "separate" : "whole");
        // A flag may name a file that only nvcc itself reads: -optf, --options-file=...
        for (const std::string& flag : request_.nvcc_flags)
            for (const std::string& name : {flag, flag.substr(flag.find('=') + 1)})
                if (fs::is_regular_file(name, error))
                    if (const auto content = read_file(name)) add(datasets::sha256(*content));
        std::set<std::string> variables;
        for (char** e = environ; *e != nullptr; ++e) {
            const std::string_view entry(*e);
            const std::string_view name = entry.substr(0, entry.find('='));
            if (name.starts_with("NVCC_") ||
                std::ranges::find(compiler_variables, name) != compiler_variables.end())
                variables.emplace(entry);
        }
        for (const std::string& entry : variables) add(entry);
        return datasets::sha256(text);
    }

    [[nodiscard]] static std::string key_of(const std::string& words, const Dependencies& files) {
        return datasets::sha256(words + "\n" + files.state());
    }

    /// Was the object compiled with -rdc=true? Then its host code registers its device code through
    /// a device link.
    static bool has_relocatable_code(const std::string& object) {
        const auto content = read_file(object);
        return content && content->find("__cudaRegisterLinkedBinary") != std::string::npos;
    }

    [[nodiscard]] Result<sandbox::Outcome> tool(std::vector<std::string> words,
                                                bool in_english = false) const {
        sandbox::Command command{.argv = std::move(words)};
        for (char** e = environ; *e != nullptr; ++e) {
            const std::string_view entry(*e);
            const std::size_t equals = entry.find('=');
            if (equals != std::string_view::npos)
                command.environment[std::string(entry.substr(0, equals))] =
                    entry.substr(equals + 1);
        }
        command.environment.try_emplace(heap_variable, heap_of_compilers);
        if (in_english) command.environment["LC_ALL"] = "C";  // we read its messages
        // nvcc calls its own tools and the host compiler through PATH.
        std::string& path = command.environment["PATH"];
        path = toolchain_.nvcc.parent_path().string() + ":" + path;
        auto outcome = sandbox::run(home_.libexec / "supervisor", command,
                                    {.wall_s = 0,
                                     .cpu_s = 0,
                                     .processes = 0,
                                     .file_bytes = 0,
                                     .output_bytes = program_output_bytes});
        if (outcome && outcome->end == sandbox::End::not_started)
            return Error{.message = outcome->message};
        return outcome;
    }

    const Home& home_;
    const Toolchain& toolchain_;
    const ProgramRequest& request_;
    TemporaryFolder work_;
    fs::path library_;
    std::vector<std::string> sources_, linked_;
    bool separate_ = false;  ///< -rdc=true
    bool debug_ = false;
    bool follows_ = true;  ///< the compilers are asked which files they read
};

}  // namespace

Result<Program> build_program(const Home& home, const Toolchain& toolchain,
                              const ProgramRequest& request) {
    auto work = TemporaryFolder::make("run");
    if (!work) return work.error();
    return ProgramBuilder(home, toolchain, request, *std::move(work)).run();
}

}  // namespace cugrade
