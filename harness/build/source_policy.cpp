// Theory of operation. Four things are asked, because each misses what another sees:
//
//   the line markers of the preprocessed text    which files were read on the submission's behalf
//   the tokens of the submission's own text      names, with aliases and using directives resolved;
//                                                macros are expanded, comments and strings are not
//                                                names
//   the PTX                                      functions that device code calls or has inlined,
//                                                overloads resolved
//   the symbols of the object                    the same of host code, as far as not inlined
//
// The preprocessed text is the one that the compiler compiles (nvcc -keep), so there is no second
// preprocessor to deceive. A later pass of nvcc takes lines in it for directives that the
// preprocessor left alone; such a line is refused itself.
//
// The assembler reads files, too (.include, .incbin), and has macros that can spell these in any
// way. It tells which files it has read (as --MD); any is too many, with a policy and without one.
#include "build/source_policy.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "build/build_dependencies.hpp"
#include "build/called_names.hpp"
#include "build/forbidden_names.hpp"
#include "core/ascii.hpp"
#include "core/files.hpp"
#include "datasets/seeds.hpp"
#include "emulator/ptx/fatbin.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* assembler_report = "assembler.d";

/// `*` stands for any characters, slashes too.
bool matches_wildcard(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p, ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

/// The names by which an #include can have asked for the file: what is behind its last include
/// folder, and that without the folders that compilers search by themselves (cccl, c++/12).
std::vector<std::string> include_names(const std::string& path) {
    std::string name = fs::path(path).lexically_normal().generic_string();
    constexpr std::string_view folder = "/include/";
    if (const std::size_t at = name.rfind(folder); at != std::string::npos)
        name.erase(0, at + folder.size());
    std::vector<std::string> out{name};
    const auto strip = [&](std::string_view start) {
        if (name.starts_with(start)) out.push_back(name = name.substr(start.size()));
    };
    strip("cccl/");
    strip("x86_64-linux-gnu/");
    strip("aarch64-linux-gnu/");
    if (name.starts_with("c++/"))
        if (const std::size_t version = name.find('/', 4); version != std::string::npos)
            out.push_back(name = name.substr(version + 1));
    return out;
}

/// Where the submission's own text has this name, in a string too: an asm label renames functions.
std::optional<SourcePlace> mention(const Preprocessed& text, const std::string& name) {
    for (const SourceToken& token : text.tokens)
        if (token.kind == SourceToken::Kind::identifier
                ? token.text == name
                : token.kind == SourceToken::Kind::text &&
                      token.text.find(name) != std::string_view::npos)
            return text.place_of(token);
    return std::nullopt;
}

std::string joined(const FunctionName& name) {
    return fmt::format("{}{}", fmt::join(name.parts, "::"),
                       name.has_parameters ? fmt::format("({})", name.parameters) : "");
}

std::optional<std::string> find_compiled_call(const std::vector<CompiledRule>& rules,
                                              const std::string& unit, const std::string& ptx) {
    for (const CalledName& called : names_in_ptx(ptx))
        for (const CompiledRule& rule : rules)
            for (const CallPattern& call : rule.calls)
                if (call.covers(called.name))
                    return fmt::format(
                        "{}: {}", called.place.file.empty() ? unit : called.place.text(),
                        ruled_out(call.has_parameters ? call.written : joined(called.name),
                                  *rule.rule));
    return std::nullopt;
}

std::optional<std::string> find_host_call(const std::vector<CompiledRule>& rules,
                                          const std::string& unit,
                                          const std::vector<HostSymbol>& symbols,
                                          const Preprocessed& text) {
    for (const HostSymbol& symbol : symbols)
        for (const CompiledRule& rule : rules)
            for (const CallPattern& call : rule.calls) {
                if (!call.covers(symbol.name)) continue;
                const auto place = mention(text, symbol.name.parts.back());
                // nvcc's own code calls functions of the C library and of the runtime: these count
                // where the submission names them.
                if (call.is_global() && (symbol.is_defined || !place)) continue;
                return fmt::format(
                    "{}: {}", place ? place->text() : unit,
                    ruled_out(fmt::format("{}", fmt::join(symbol.name.parts, "::")), *rule.rule));
            }
    return std::nullopt;
}

BuildFailure forbidden(std::string message) { return {Verdict::forbidden, std::move(message), {}}; }

BuildFailure too_much(const std::string& unit, std::string_view what) {
    return {Verdict::compile_error,
            fmt::format("{}: {} is larger than what cugrade reads; look for macros, templates or "
                        "includes that repeat themselves",
                        unit, what),
            {}};
}

BuildFailure assembler_read(const std::string& unit, const std::string& file) {
    return forbidden(fmt::format(
        "{}: an asm statement has the assembler read {}; put what you need into your source", unit,
        file));
}

/// Whether a line could be taken for a directive: it begins with # and is neither a line marker nor
/// a pragma. Quick, because it is asked of a megabyte for each file that is compiled; a raw string
/// may hold such a line, too.
bool may_have_directives(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        const std::size_t first = line.find_first_not_of(" \t\r\v\f");
        at = end + 1;
        if (first == std::string_view::npos) continue;
        if (line[first] != '#' && line.substr(first, 2) != "%:") continue;
        const bool is_marker = line.size() > 2 && line.starts_with("# ") && is_digit(line[2]);
        if (!is_marker && !line.starts_with("#pragma ") && !line.starts_with("#ident "))
            return true;
    }
    return false;
}

/// The preprocessed texts that nvcc -keep left: of host code and of device code per architecture.
std::vector<fs::path> kept_texts(const fs::path& folder) {
    std::vector<fs::path> out;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".ii") out.push_back(entry.path());
    std::ranges::sort(out);
    std::ranges::reverse(out);  // host code has the higher number, and its lines come first
    return out;
}

}  // namespace

std::vector<std::string> SourcePolicy::with_evidence(std::vector<std::string> command,
                                                     const fs::path& folder) const {
    std::error_code error;  // if it cannot be made, the compiler says so
    fs::create_directories(folder, error);
    const fs::path relative = fs::path("..") / folder.filename();
    if (has_gnu_assembler_)
        command.insert(
            command.end(),
            {"-Xcompiler", fmt::format("-Wa\\,--MD\\,{}", (relative / assembler_report).string())});
    command.insert(command.end(), {"-keep", "--keep-dir", relative.string()});
    return command;
}

Owner SourcePolicy::owner_of(std::string_view file) const {
    // The submission is compiled under names relative to its folder; all other folders that are
    // searched for headers are absolute.
    const fs::path path(file);
    if (file.starts_with(course_folder_)) return Owner::course;
    if (path.is_relative() || file.starts_with((source_ / "").string())) return Owner::submission;
    return Owner::foreign;
}

std::optional<BuildFailure> SourcePolicy::check_assembler(const std::string& unit,
                                                          const fs::path& folder) const {
    const auto report = read_file(folder / assembler_report);
    if (!report) return std::nullopt;  // no assembler was run
    for (const std::string& file : prerequisites(*report)) {
        const std::string name = fs::path(file).filename().string();
        const bool is_input = name.ends_with(".s") && name.starts_with("cc");
        if (is_input || file == "{standard input}" || file.ends_with(".cudafe1.cpp")) continue;
        return assembler_read(unit, file);
    }
    return std::nullopt;
}

std::optional<BuildFailure> SourcePolicy::check_read(const std::string& unit,
                                                     const fs::path& folder) const {
    if (auto failure = check_assembler(unit, folder)) return failure;
    return check_text(unit, folder);
}

Result<std::optional<BuildFailure>> SourcePolicy::check(const std::string& unit,
                                                        const fs::path& object,
                                                        std::span<const ptx::FatbinPtx> images,
                                                        const fs::path& folder) const {
    using Found = std::optional<BuildFailure>;
    if (rules_.empty()) return Found();
    const auto rules = compiled(rules_);
    std::optional<Preprocessed> of_host;
    for (const fs::path& file : kept_texts(folder)) {
        auto whole = read_file(file);
        if (!whole) return whole.error();
        Preprocessed text = read(*std::move(whole));
        if (text.is_too_much) return Found(too_much(unit, "its source with macros expanded"));
        if (auto found = find_forbidden_include(rules_, text)) return Found(forbidden(*found));
        if (auto found = find_forbidden_name(rules, text)) return Found(forbidden(*found));
        if (!of_host) of_host = std::move(text);
    }
    if (!of_host)
        return Error{.message =
                         "nvcc -keep left no preprocessed text, so nobody knows what the "
                         "submission uses",
                     .file = folder.string(),
                     .remedy = "run `cugrade doctor`; cugrade was tested with nvcc 13"};
    for (const ptx::FatbinPtx& image : images)
        if (auto found = find_compiled_call(rules, unit, image.text))
            return Found(forbidden(*found));
    const auto symbols = symbols_of(object);
    if (!symbols && symbols.error().kind == ErrorKind::submission)
        return Found(too_much(unit, "the symbol table of its object file"));
    if (!symbols) return symbols.error();
    if (auto found = find_host_call(rules, unit, *symbols, *of_host))
        return Found(forbidden(*found));
    return Found();
}

std::optional<BuildFailure> SourcePolicy::check_size(const std::string& unit,
                                                     const fs::path& folder, std::uint64_t& left) {
    for (const fs::path& file : kept_texts(folder)) {
        std::error_code error;
        const std::uint64_t bytes = fs::file_size(file, error);
        if (error) continue;
        if (bytes > most_preprocessed_file_bytes)
            return too_much(unit, "its source with all headers and macros expanded");
        if (bytes > left)
            return too_much(unit, "the submission's source with all headers and macros expanded");
        left -= bytes;
    }
    return std::nullopt;
}

bool SourcePolicy::has_begun(const fs::path& folder) const { return !kept_texts(folder).empty(); }

Preprocessed SourcePolicy::read(std::string text) const {
    return read_preprocessed(std::move(text),
                             [this](std::string_view name) { return owner_of(name); });
}

std::optional<BuildFailure> SourcePolicy::check_failed(const std::string& unit,
                                                       std::string_view output,
                                                       const fs::path& folder) const {
    if (auto failure = check_text(unit, folder)) return failure;
    if (const std::string file = foreign_assembler_file(output); !file.empty())
        return assembler_read(unit, file);
    return std::nullopt;
}

std::optional<BuildFailure> SourcePolicy::check_text(const std::string& unit,
                                                     const fs::path& folder) const {
    for (const fs::path& file : kept_texts(folder)) {
        auto text = read_file(file);
        if (!text || !may_have_directives(*text)) continue;
        const Preprocessed whole = read(*std::move(text));
        if (whole.is_too_much) return too_much(unit, "its source with macros expanded");
        if (!whole.stray_directives.empty())
            return forbidden(
                fmt::format("{}: this becomes a directive only after the preprocessor, where "
                            "nothing could tell what it does; write directives as such",
                            whole.stray_directives.front().text()));
    }
    return std::nullopt;
}

std::string key_with_policy(const std::string& key, const std::vector<SourceRule>& rules) {
    std::string text = "source policy 1\n" + key;
    const auto add = [&text](std::string_view value) {
        text += fmt::format("{}\n{}\n", value.size(), value);
    };
    for (const SourceRule& rule : rules) {
        add("rule");
        for (const std::string& include : rule.includes) add(include);
        add("calls");
        for (const std::string& call : rule.calls) add(call);
        add(rule.message);
    }
    return datasets::sha256(text);
}

// The assembler says `FILE:LINE: Error: no such instruction: ...`, with the .s file that the
// compiler wrote or, in an asm statement, the student's file. The host compiler says `error:`.
std::string foreign_assembler_file(std::string_view output) {
    while (!output.empty()) {
        const std::size_t end = std::min(output.find('\n'), output.size());
        const std::string_view line = output.substr(0, end);
        output.remove_prefix(std::min(end + 1, output.size()));
        for (const std::string_view kind : {": Error: ", ": Warning: ", ": Info: "}) {
            const std::size_t at = line.find(kind);
            if (at == std::string_view::npos) continue;
            const std::string_view place = line.substr(0, at);
            const std::string_view file = place.substr(0, place.rfind(':'));
            const fs::path path(file);
            const bool outside = path.is_absolute() || std::ranges::find(path, "..") != path.end();
            if (outside && !file.ends_with(".s")) return std::string(file);
        }
    }
    return {};
}

std::optional<std::string> find_forbidden_include(const std::vector<SourceRule>& rules,
                                                  const Preprocessed& text) {
    for (const Preprocessed::Inclusion& file : text.inclusions) {
        const auto names = include_names(file.path);
        for (const SourceRule& rule : rules)
            for (const std::string& pattern : rule.includes)
                for (const std::string& name : names)
                    if (matches_wildcard(pattern, name))
                        return fmt::format(
                            "{}: {}", file.place.text(),
                            ruled_out(
                                fmt::format("the header {}{}", name,
                                            file.direct ? "" : ", which this line brings in,"),
                                rule));
    }
    return std::nullopt;
}

}  // namespace cugrade
