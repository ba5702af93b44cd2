#include "build/called_names.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "build/build.hpp"
#include "core/ascii.hpp"
#include "core/files.hpp"
#include "emulator/ptx/module.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

bool all_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool is_inline_namespace(std::string_view name) {
    if (name == "__cxx11") return true;
    // nvcc's front end replaces calls of functions that only pass their arguments on: what is left
    // of cooperative_groups::reduce is cooperative_groups::details::reduce.
    if (name == "detail" || name == "details" || name == "__detail") return true;
    // _INTERNAL_<hash>_<file>: where cicc puts functions of internal linkage.
    for (const std::string_view start : {"_INTERNAL_", "CUB_", "THRUST_"})
        if (name.starts_with(start) && name.size() > start.size()) return true;
    for (const std::string_view start : {"__v", "_V", "__"})
        if (name.starts_with(start) && all_digits(name.substr(start.size()))) return true;
    return false;
}

/// Replaces the operators whose names have brackets, so that brackets balance.
std::string without_operators(std::string_view text) {
    constexpr std::string_view word = "operator";
    constexpr std::array<std::string_view, 11> symbols{"()", "<=>", "<<=", ">>=", "<<", ">>",
                                                       "<=", ">=",  "->",  "<",   ">"};
    std::string out;
    while (!text.empty()) {
        const std::size_t at = std::min(text.find(word), text.size());
        out += text.substr(0, at);
        text.remove_prefix(at);
        if (text.empty()) break;
        out += word;
        text.remove_prefix(word.size());
        const auto symbol =
            std::ranges::find_if(symbols, [&](std::string_view s) { return text.starts_with(s); });
        if (symbol == symbols.end()) continue;
        out += '_';
        text.remove_prefix(symbol->size());
    }
    return out;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string out;
    for (std::size_t hit; (hit = text.find(from)) != std::string_view::npos;) {
        out.append(text.substr(0, hit)).append(to);
        text.remove_prefix(hit + from.size());
    }
    return out.append(text);
}

/// The text without what is in <>.
std::string without_template_arguments(std::string_view text) {
    std::string out;
    int depth = 0;
    for (const char c : text) {
        if (c == '<') ++depth;
        if (depth == 0) out += c;
        if (c == '>' && depth > 0) --depth;
    }
    return out;
}

/// The lines of a PTX file, one by one.
template <class F>
void for_each_ptx_line(std::string_view text, F&& f) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        const std::size_t first = line.find_first_not_of(" \t");
        f(first == std::string_view::npos ? std::string_view() : line.substr(first));
        if (end == std::string_view::npos) return;
        text.remove_prefix(end + 1);
    }
}

/// Takes the next number, word or quoted text off the line.
int take_number(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_of("0123456789"), line.size()));
    int out = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), out);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    return error == std::errc() ? out : 0;
}
std::string_view take_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t,"), line.size()));
    const std::size_t end = std::min(line.find_first_of(" \t,;()"), line.size());
    const std::string_view out = line.substr(0, end);
    line.remove_prefix(end);
    return out;
}

/// Takes names apart until they have come to more text than any real file's; the others stay as
/// they are. One long name has a demangler work for a second, and there could be thousands.
class Demangler {
public:
    std::string operator()(std::string_view mangled) {
        if (left_ == 0) return std::string(mangled);
        std::string name = ptx::demangled(mangled);
        left_ -= std::min(left_, name.size());
        return name;
    }

private:
    std::size_t left_ = 64 << 20;  // chosen: a file that uses all of Thrust has 2 MiB
};

class PtxNames {
public:
    explicit PtxNames(std::string_view ptx) {
        for_each_ptx_line(ptx, [this](std::string_view line) { read_tables(line); });
        for_each_ptx_line(ptx, [this](std::string_view line) { read_code(line); });
    }

    std::vector<CalledName> take() {
        std::vector<CalledName> out;
        Demangler demangled;
        for (const auto& [mangled, place] : found_)
            if (!own_.contains(mangled))
                out.push_back({parse_function_name(demangled(mangled)), place});
        return out;
    }

private:
    using Place = std::array<int, 3>;  ///< file, line, column

    /// .file, and the names of functions behind the labels that .loc refers to.
    void read_tables(std::string_view line) {
        if (line.starts_with(".file")) {
            line.remove_prefix(5);
            const int number = take_number(line);
            const std::size_t open = line.find('"');
            if (open == std::string_view::npos) return;
            const std::string path(line.substr(open + 1, line.find('"', open + 1) - open - 1));
            if (std::string name = as_submitted(path); name != path) files_[number] = name;
        } else if (line.ends_with(':') && line.starts_with("$L__info_string")) {
            label_ = line.substr(0, line.size() - 1);
        } else if (!label_.empty() && line.starts_with(".b8")) {
            line.remove_prefix(3);
            while (!label_.empty() && line.find_first_of("0123456789") != std::string_view::npos) {
                const int byte = take_number(line);
                if (byte == 0)
                    label_ = {};
                else
                    labels_[std::string(label_)] += static_cast<char>(byte);
            }
        }
    }

    void read_code(std::string_view line) {
        if (line.starts_with(".loc")) {
            read_loc(line);
        } else if (line.find(".entry") != std::string_view::npos ||
                   line.find(".func") != std::string_view::npos) {
            begin_function(line);
        } else if (const std::size_t call = line.find("call");
                   call != std::string_view::npos &&
                   line.substr(0, call).find_first_not_of("@!%p0123456789 \t") ==
                       std::string_view::npos) {
            in_call_ = true;
        }
        if (in_call_) read_call(line);
    }

    void begin_function(std::string_view line) {
        const bool is_entry = line.find(".entry") != std::string_view::npos;
        std::size_t at = line.find(is_entry ? ".entry" : ".func");
        line.remove_prefix(at + (is_entry ? 6 : 5));
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (line.starts_with('('))  // the result: .func (.param .b32 r) name
            line.remove_prefix(std::min(line.find(')') + 1, line.size()));
        function_ = std::string(take_word(line));
        is_entry_ = is_entry;
        first_loc_ = true;
        last_ = {};
    }

    /// A call spans lines: `call.uni (retval0), vprintf, (param0, param1);` with a line for each.
    void read_call(std::string_view line) {
        call_ += line;
        if (line.find(';') == std::string_view::npos) return;
        std::string_view text = call_;
        text.remove_prefix(std::min(text.find("call"), text.size()));
        text.remove_prefix(std::min(text.find_first_of(" \t"), text.size()));
        text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
        if (text.starts_with('(')) text.remove_prefix(std::min(text.find(')') + 1, text.size()));
        const std::string callee(take_word(text));
        if (!callee.empty() && callee[0] != '%') add(callee, last_);
        call_.clear();
        in_call_ = false;
    }

    /// .loc FILE LINE COLUMN[, function_name LABEL[+N], inlined_at FILE LINE COLUMN]
    void read_loc(std::string_view line) {
        line.remove_prefix(4);
        Place here{};
        for (int& part : here) part = take_number(line);
        const std::size_t function = line.find("function_name ");
        const std::size_t inlined = line.find("inlined_at ");
        if (function == std::string_view::npos || inlined == std::string_view::npos) {
            last_ = own_place(here);
            note_body(here);
            return;
        }
        std::string_view label = line.substr(function + 14);
        const std::string_view name = take_word(label);
        std::string_view at = line.substr(inlined + 11);
        Place caller{};
        for (int& part : caller) part = take_number(at);
        // The place of the call; if that call was itself inlined, its own .loc came before.
        const auto outer = outer_.find(caller);
        const SourcePlace place =
            files_.contains(caller[0]) || outer == outer_.end() ? own_place(caller) : outer->second;
        outer_[here] = files_.contains(here[0]) ? own_place(here) : place;
        last_ = outer_[here];
        if (files_.contains(here[0])) return;  // a function of the submission's own
        if (const auto known = labels_.find(std::string(name)); known != labels_.end())
            add(known->second, place);
    }

    /// The first place in a function tells whose it is.
    void note_body(const Place& here) {
        if (!first_loc_ || function_.empty()) return;
        first_loc_ = false;
        if (files_.contains(here[0]))
            own_.insert(function_);
        else if (is_entry_)
            add(function_, {});
    }

    [[nodiscard]] SourcePlace own_place(const Place& place) const {
        const auto file = files_.find(place[0]);
        return file == files_.end() ? SourcePlace{} : SourcePlace{file->second, place[1]};
    }

    void add(const std::string& mangled, const SourcePlace& place) {
        const auto [entry, is_new] = found_.try_emplace(mangled, place);
        if (!is_new && entry->second.file.empty()) entry->second = place;
    }

    std::map<int, std::string> files_;  ///< the submission's own
    std::map<std::string, std::string> labels_;
    std::string_view label_;
    std::string function_, call_;
    bool is_entry_ = false, first_loc_ = false, in_call_ = false;
    SourcePlace last_;
    std::map<Place, SourcePlace> outer_;
    std::map<std::string, SourcePlace> found_;
    std::set<std::string> own_;
};

template <class T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t at) {
    if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
    T out;
    std::memcpy(&out, bytes.data() + at, sizeof out);
    return out;
}

}  // namespace

void drop_inline_namespaces(std::vector<std::string>& parts) {
    if (parts.empty()) return;
    const auto last = std::prev(parts.end());
    parts.erase(std::remove_if(parts.begin(), last,
                               [](const std::string& p) { return is_inline_namespace(p); }),
                last);
}

std::string plain_parameters(std::string_view list) {
    std::string out;
    int depth = 0;
    std::string one;
    const auto end_one = [&] {
        std::string_view text = one;
        while (text.starts_with(' ')) text.remove_prefix(1);
        if (text.starts_with("const ")) {
            text.remove_prefix(6);
            const std::size_t type = std::min(text.find_first_of("*&"), text.size());
            one = std::string(text.substr(0, type)) + " const" + std::string(text.substr(type));
        }
        if (!out.empty()) out += ',';
        for (const char c : one)
            if (c != ' ') out += c;
        one.clear();
    };
    for (const char c : list) {
        if (c == '<' || c == '(') ++depth;
        if (c == '>' || c == ')') --depth;
        if (c == ',' && depth == 0)
            end_one();
        else
            one += c;
    }
    if (!one.empty() || !out.empty()) end_one();
    return out == "void" ? "" : out;
}

FunctionName parse_function_name(std::string_view demangled) {
    FunctionName out;
    if (demangled.starts_with("_Z")) out.mangled = demangled;
    std::string text = without_operators(demangled);
    if (const std::size_t clone = text.find(" [clone"); clone != std::string::npos)
        text.resize(clone);
    for (const std::string_view end : {" const", " &", " &&"})
        if (text.ends_with(end)) text.resize(text.size() - end.size());
    if (text.ends_with(')')) {
        int depth = 0;
        std::size_t open = text.size();
        while (open > 0) {
            --open;
            if (text[open] == ')') ++depth;
            if (text[open] == '(' && --depth == 0) break;
        }
        const std::string list = text.substr(open + 1, text.size() - open - 2);
        if (list != "anonymous namespace") {
            out.parameters = plain_parameters(list);
            out.has_parameters = true;
            text.resize(open);
        }
    }
    // An inline namespace, as far as names go.
    text = replaced(without_template_arguments(text), "(anonymous namespace)", "__1");
    while (text.ends_with(' ')) text.pop_back();
    std::string_view rest = text;
    // What is in front of the last blank is the type of a template's result.
    if (const std::size_t blank = rest.rfind(' '); blank != std::string_view::npos)
        rest.remove_prefix(blank + 1);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find("::"), rest.size());
        if (end != 0) out.parts.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    drop_inline_namespaces(out.parts);
    return out;
}

std::vector<CalledName> names_in_ptx(std::string_view ptx) { return PtxNames(ptx).take(); }

Result<std::vector<HostSymbol>> symbols_of(const fs::path& object) {
    const auto content = read_file(object);
    if (!content) return content.error();
    const std::string_view bytes = *content;
    const auto broken = [&] {
        return Error{.message = "the symbol table of an object file cannot be read",
                     .file = object.string(),
                     .remedy = "run `cugrade doctor`"};
    };
    const auto header = read_at<Elf64_Ehdr>(bytes, 0);
    if (!header || !bytes.starts_with(ELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64)
        return broken();
    const auto section = [&](std::uint64_t index) {
        return read_at<Elf64_Shdr>(bytes, header->e_shoff + index * sizeof(Elf64_Shdr));
    };
    // With more sections than fit into 16 bits their number is in the first one.
    const auto first = section(0);
    const std::uint64_t count = header->e_shnum != 0 || !first ? header->e_shnum : first->sh_size;
    std::vector<HostSymbol> out;
    Demangler demangled;
    bool found = false;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto table = section(i);
        if (!table) return broken();
        if (table->sh_type != SHT_SYMTAB) continue;
        // An object has one. Sections could all have the same symbols, and there could be millions.
        if (std::exchange(found, true)) return broken();
        const auto strings = section(table->sh_link);
        if (!strings || strings->sh_offset > bytes.size()) return broken();
        const std::string_view names = bytes.substr(strings->sh_offset, strings->sh_size);
        for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size;
             at += sizeof(Elf64_Sym)) {
            const auto symbol = read_at<Elf64_Sym>(bytes, table->sh_offset + at);
            if (!symbol || symbol->st_name > names.size()) return broken();
            const int type = ELF64_ST_TYPE(symbol->st_info);
            const bool is_defined = symbol->st_shndx != SHN_UNDEF;
            if (is_defined ? type != STT_FUNC && type != STT_GNU_IFUNC : symbol->st_name == 0)
                continue;
            if (out.size() == most_host_symbols)
                return Error{.kind = ErrorKind::submission,
                             .message = "has more symbols than any program",
                             .file = object.string(),
                             .remedy = "look for templates or asm statements that make too many"};
            const std::string_view name = names.substr(symbol->st_name);
            std::string text = demangled(name.substr(0, name.find('\0')));
            out.push_back({parse_function_name(text), std::move(text), is_defined});
        }
    }
    return out;
}

}  // namespace cugrade
