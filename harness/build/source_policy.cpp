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
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "build/build_dependencies.hpp"
#include "build/called_names.hpp"
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

std::string ruled_out(std::string_view what, const SourceRule& rule) {
    return rule.message.empty() ? fmt::format("{} is ruled out", what)
                                : fmt::format("{} is ruled out: {}", what, rule.message);
}

/// "cub::*" or "atomicAdd(double*, double)".
struct CallPattern {
    std::vector<std::string> parts;  ///< without the *
    bool all_of_namespace = false;
    bool has_parameters = false;
    std::string parameters;
    std::string written;

    explicit CallPattern(const std::string& text) : written(text) {
        FunctionName name = parse_function_name(text);
        parts = std::move(name.parts);
        has_parameters = name.has_parameters;
        parameters = std::move(name.parameters);
        if (!parts.empty() && parts.back() == "*") {
            parts.pop_back();
            all_of_namespace = true;
        }
    }
    [[nodiscard]] bool is_global() const { return parts.size() == 1 && !all_of_namespace; }

    /// Whether the name is one of these, or belongs to one (a member of a class).
    [[nodiscard]] bool covers(const std::vector<std::string>& name) const {
        if (name.size() < parts.size() + (all_of_namespace ? 1 : 0)) return false;
        return std::equal(parts.begin(), parts.end(), name.begin()) &&
               (!is_global() || name.size() == 1);
    }
    [[nodiscard]] bool covers_namespace(const std::vector<std::string>& name) const {
        return all_of_namespace && name.size() >= parts.size() &&
               std::equal(parts.begin(), parts.end(), name.begin());
    }
    [[nodiscard]] bool covers(const FunctionName& name) const {
        if (has_parameters && (!name.has_parameters || name.parameters != parameters)) return false;
        if (covers(name.parts)) return true;
        // Device code calls printf by another name.
        return is_global() && parts[0] == "printf" && name.parts.size() == 1 &&
               name.parts[0] == "vprintf";
    }
};

struct CompiledRule {
    const SourceRule* rule;
    std::vector<CallPattern> calls;
};

std::vector<CompiledRule> compiled(const std::vector<SourceRule>& rules) {
    std::vector<CompiledRule> out;
    for (const SourceRule& rule : rules) {
        out.push_back({&rule, {}});
        for (const std::string& call : rule.calls) out.back().calls.emplace_back(call);
    }
    return out;
}

/// Reads the names of the submission's own text from left to right.
class NameScanner {
public:
    NameScanner(const std::vector<CompiledRule>& rules, const Preprocessed& text)
        : rules_(rules), text_(text), tokens_(text.tokens) {
        for (std::size_t i = 0; i < tokens_.size(); ++i)
            if (is_definition(i)) own_.insert(std::string(tokens_[i].text));
    }

    std::optional<std::string> scan() {
        for (at_ = 0; at_ < tokens_.size() && !problem_;) {
            if (!is_identifier(at_)) {
                count_brace();
                ++at_;
            } else if (tokens_[at_].text == "namespace") {
                namespace_name();
            } else {
                name();
            }
        }
        return problem_;
    }

private:
    using Chain = std::vector<std::string>;

    [[nodiscard]] bool is_identifier(std::size_t i) const {
        return i < tokens_.size() && tokens_[i].kind == SourceToken::Kind::identifier;
    }
    [[nodiscard]] bool is(std::size_t i, std::string_view text) const {
        return i < tokens_.size() && tokens_[i].text == text;
    }
    [[nodiscard]] static bool is_keyword(std::string_view word) {
        constexpr std::array<std::string_view, 30> words{
            "return",   "else",          "do",       "case",      "throw",    "sizeof",
            "alignof",  "new",           "delete",   "not",       "and",      "or",
            "xor",      "bitand",        "bitor",    "compl",     "not_eq",   "and_eq",
            "or_eq",    "xor_eq",        "goto",     "co_await",  "co_yield", "typeid",
            "noexcept", "__extension__", "operator", "co_return", "requires", "alignas"};
        return std::ranges::find(words, word) != words.end();
    }

    /// `name(...) {`, with qualifiers between: the submission defines a function of this name.
    [[nodiscard]] bool is_definition(std::size_t i) const {
        if (!is_identifier(i) || !is(i + 1, "(")) return false;
        if (i > 0 && (is(i - 1, ".") || is(i - 1, "->") || is(i - 1, "new"))) return false;
        std::size_t end = i + 1;
        for (int depth = 0; end < tokens_.size(); ++end) {
            if (is(end, "(")) ++depth;
            if (is(end, ")") && --depth == 0) break;
        }
        ++end;
        while (is(end, "const") || is(end, "noexcept") || is(end, "override") || is(end, "final"))
            ++end;
        return is(end, "{");
    }

    /// a::b::c from `at_` on, which moves behind it.
    Chain chain() {
        Chain out;
        if (is(at_, "::")) ++at_;
        while (is_identifier(at_)) {
            out.emplace_back(tokens_[at_++].text);
            if (!is(at_, "::")) break;
            const std::size_t next = at_ + (is(at_ + 1, "template") ? 2 : 1);
            if (!is_identifier(next)) break;
            at_ = next;
        }
        return out;
    }

    /// With the alias in front replaced by what it stands for.
    [[nodiscard]] Chain resolved(Chain name) const {
        for (int hops = 0; hops < 16 && !name.empty(); ++hops) {
            const auto alias = aliases_.find(name.front());
            if (alias == aliases_.end()) break;
            Chain longer = alias->second;
            longer.insert(longer.end(), name.begin() + 1, name.end());
            name = std::move(longer);
        }
        drop_inline_namespaces(name);
        return name;
    }

    /// The name itself, and in each namespace that is open or used.
    [[nodiscard]] std::vector<Chain> meanings(const Chain& name) const {
        std::vector<Chain> out{resolved(name)};
        std::vector<Chain> around = used_;
        for (const Opened& one : opened_) around.push_back(one.name);
        for (Chain& longer : around) {
            longer.insert(longer.end(), name.begin(), name.end());
            drop_inline_namespaces(longer);
            out.push_back(std::move(longer));
        }
        return out;
    }

    void tell(std::size_t token, std::string_view what, const SourceRule& rule) {
        if (!problem_)
            problem_ =
                fmt::format("{}: {}", text_.place_of(tokens_[token]).text(), ruled_out(what, rule));
    }

    void tell_namespace(std::size_t token, const std::vector<Chain>& names) {
        for (const Chain& meaning : names)
            for (const CompiledRule& rule : rules_)
                for (const CallPattern& call : rule.calls)
                    if (!call.has_parameters && call.covers_namespace(meaning))
                        tell(token, fmt::format("{}", fmt::join(meaning, "::")), *rule.rule);
    }

    /// `using namespace a::b;`, `namespace a = b::c;`, `namespace a::b {`
    void namespace_name() {
        const std::size_t begin = at_;
        const bool is_using = begin > 0 && is(begin - 1, "using");
        ++at_;
        const Chain first = chain();
        if (first.empty()) return;
        if (!is_using && is(at_, "=")) {
            ++at_;
            const Chain target = chain();
            tell_namespace(begin, meanings(target));
            if (first.size() == 1 && first != target) aliases_[first[0]] = resolved(target);
            return;
        }
        if (is_using) {
            tell_namespace(begin, meanings(first));
            used_.push_back(resolved(first));
            return;
        }
        Chain inside = opened_.empty() ? Chain() : opened_.back().name;
        inside.insert(inside.end(), first.begin(), first.end());
        drop_inline_namespaces(inside);
        tell_namespace(begin, {inside});
        opened_.push_back({braces_, std::move(inside)});
    }

    void count_brace() {
        if (is(at_, "{")) ++braces_;
        if (!is(at_, "}")) return;
        --braces_;
        while (!opened_.empty() && opened_.back().braces >= braces_) opened_.pop_back();
    }

    /// `void printf(int)` names no function of others. If it should be one, calling it leaves its
    /// symbol; only what the compiler itself implements leaves none.
    [[nodiscard]] bool is_declaration(std::size_t i) const {
        return i > 0 && is_identifier(i - 1) && !is_keyword(tokens_[i - 1].text) &&
               is(i + 1, "(") && !tokens_[i].text.starts_with("__");
    }

    void name() {
        const std::size_t begin = at_;
        const bool is_member = begin > 0 && (is(begin - 1, ".") || is(begin - 1, "->"));
        // a<b>::c: only the compiler knows what c belongs to.
        const bool is_tail = begin > 1 && is(begin - 1, "::") &&
                             (is(begin - 2, ">") ||
                              (is_identifier(begin - 2) && !is_keyword(tokens_[begin - 2].text)));
        const Chain whole = chain();
        if (whole.empty()) {
            ++at_;
            return;
        }
        if (is_member || is_tail || (whole.size() == 1 && is_declaration(at_ - 1))) return;
        const bool is_call = is(at_, "(") || is(at_, "<");
        // Names that begin with two underscores belong to the compiler: nobody else defines them.
        const bool is_own =
            whole.size() == 1 && own_.contains(whole[0]) && !whole[0].starts_with("__");
        const auto all = meanings(whole);
        for (const CompiledRule& rule : rules_)
            for (const CallPattern& call : rule.calls) {
                if (call.has_parameters || is_own) continue;
                for (std::size_t i = 0; i < all.size(); ++i) {
                    const Chain& meaning = all[i];
                    // Without its namespace, only what is called is taken for the function.
                    const bool is_short = i > 0 && whole.size() == 1;
                    const bool in_std = call.is_global() && meaning.size() == 2 &&
                                        meaning[0] == "std" && meaning[1] == call.parts[0];
                    if ((call.covers(meaning) || in_std) && (!is_short || is_call))
                        return tell(begin, fmt::format("{}", fmt::join(meaning, "::")), *rule.rule);
                }
            }
    }

    const std::vector<CompiledRule>& rules_;
    const Preprocessed& text_;
    const std::vector<SourceToken>& tokens_;
    std::size_t at_ = 0;
    std::set<std::string> own_;
    std::map<std::string, Chain> aliases_;
    std::vector<Chain> used_;
    struct Opened {
        int braces;
        Chain name;
    };
    std::vector<Opened> opened_;  ///< the namespaces around the current place, whole names
    int braces_ = 0;
    std::optional<std::string> problem_;
};

/// Where the submission's own text has this name, in a string too: an asm label renames functions.
std::optional<SourcePlace> mention(const std::vector<Preprocessed>& texts,
                                   const std::string& name) {
    for (const Preprocessed& text : texts)
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
                                          const std::vector<Preprocessed>& texts) {
    for (const HostSymbol& symbol : symbols)
        for (const CompiledRule& rule : rules)
            for (const CallPattern& call : rule.calls) {
                if (!call.covers(symbol.name)) continue;
                const auto place = mention(texts, symbol.name.parts.back());
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

Result<std::optional<BuildFailure>> SourcePolicy::check(const std::string& unit,
                                                        const fs::path& object,
                                                        const fs::path& folder) const {
    using Found = std::optional<BuildFailure>;
    if (auto failure = check_assembler(unit, folder)) return failure;
    if (auto failure = check_text(folder)) return failure;
    if (rules_.empty()) return Found();
    const auto rules = compiled(rules_);
    std::vector<Preprocessed> texts;
    for (const fs::path& file : kept_texts(folder)) {
        auto text = read_file(file);
        if (!text) return text.error();
        texts.push_back(read(*std::move(text)));
    }
    if (texts.empty())
        return Error{.message =
                         "nvcc -keep left no preprocessed text, so nobody knows what the "
                         "submission uses",
                     .file = folder.string(),
                     .remedy = "run `cugrade doctor`; cugrade was tested with nvcc 13"};
    for (const Preprocessed& text : texts) {
        if (auto found = find_forbidden_include(rules_, text)) return Found(forbidden(*found));
        if (auto found = NameScanner(rules, text).scan()) return Found(forbidden(*found));
    }
    auto images = ptx::read_object(object);
    if (!images) return images.error();
    for (const ptx::FatbinPtx& image : *images)
        if (auto found = find_compiled_call(rules, unit, image.text))
            return Found(forbidden(*found));
    const auto symbols = symbols_of(object);
    if (!symbols) return symbols.error();
    if (auto found = find_host_call(rules, unit, *symbols, texts)) return Found(forbidden(*found));
    return Found();
}

bool SourcePolicy::has_begun(const fs::path& folder) const { return !kept_texts(folder).empty(); }

Preprocessed SourcePolicy::read(std::string text) const {
    return read_preprocessed(std::move(text),
                             [this](std::string_view name) { return owner_of(name); });
}

std::optional<BuildFailure> SourcePolicy::check_failed(const std::string& unit,
                                                       std::string_view output,
                                                       const fs::path& folder) const {
    if (auto failure = check_text(folder)) return failure;
    if (const std::string file = foreign_assembler_file(output); !file.empty())
        return assembler_read(unit, file);
    return std::nullopt;
}

std::optional<BuildFailure> SourcePolicy::check_text(const fs::path& folder) const {
    for (const fs::path& file : kept_texts(folder)) {
        auto text = read_file(file);
        if (!text || !may_have_directives(*text)) continue;
        const Preprocessed whole = read(*std::move(text));
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

std::optional<std::string> find_forbidden_name(const std::vector<SourceRule>& rules,
                                               const Preprocessed& text) {
    const auto all = compiled(rules);
    return NameScanner(all, text).scan();
}

}  // namespace cugrade
