#include "judging/edits_in_source.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "emulator/ptx/module.hpp"
#include "judging/checks.hpp"
#include "judging/source_code.hpp"
#include "judging/source_places.hpp"

namespace cugrade {
namespace {

using emulator::Intervention;

/// A statement or a condition may go on in the next lines.
constexpr int most_further_lines = 2;

bool has_word(const SourceCode& code, int line, std::string_view word) {
    return std::ranges::any_of(code.tokens(), [&](const Token& one) {
        return one.line >= line && one.line <= line + most_further_lines && one.text == word;
    });
}

/// What is between the first two backquotes.
std::string_view between_backquotes(std::string_view text) {
    const std::size_t begin = text.find('`') + 1, end = text.find('`', begin);
    return begin == 0 || end == std::string_view::npos ? "" : text.substr(begin, end - begin);
}

/// The same comparison: negated, with its sides exchanged, and both.
constexpr std::array<std::array<std::string_view, 3>, 6> forms{{{"<", ">=", ">"},
                                                                {"<=", ">", ">="},
                                                                {">", "<=", "<"},
                                                                {">=", "<", "<="},
                                                                {"==", "!=", "=="},
                                                                {"!=", "==", "!="}}};
std::string_view form_of(std::string_view sign, std::size_t form) {
    const auto row = std::ranges::find(forms, sign, [](const auto& one) { return one[0]; });
    return row == forms.end() ? "" : (*row)[form];
}

/// False: no such operator is written there.
bool write_as_in_source(Intervention& one, const SourceCode& code) {
    const int line = location_of(one.place).line;
    const std::string_view old = between_backquotes(one.text);
    if (form_of(old, 0).empty() || has_word(code, line, old)) return true;
    const std::size_t to = one.text.find(" to ");
    if (to == std::string::npos) return true;
    const std::string_view other = between_backquotes(std::string_view(one.text).substr(to));
    for (const std::size_t form : {std::size_t{1}, std::size_t{2}}) {
        const std::string_view was = form_of(old, form), is = form_of(other, form);
        if (was.empty() || is.empty() || !has_word(code, line, was)) continue;
        one.text = fmt::format("`{}` to `{}`", was, is);
        return true;
    }
    return false;
}

struct Names {
    std::string used, needed;
};

/// "parameter 2 to parameter 4": what the function around the place calls them.
std::optional<Names> names_of(const Intervention& one, const SourceCode& code) {
    const SourceCode::Function* f = code.around(location_of(one.place).line);
    if (f == nullptr) return std::nullopt;
    const std::string full = ptx::demangled(one.function);
    const std::string name = full.substr(0, full.find_first_of("(<"));
    // A method has its object as the first one.
    if (name != f->name && !name.ends_with(fmt::format(" {}", f->name))) return std::nullopt;
    const auto named = [&](std::size_t from) -> std::string {
        constexpr std::string_view word = "parameter ";
        const std::size_t at = one.text.find(word, from);
        if (at == std::string::npos) return {};
        std::size_t number = 0;
        std::from_chars(one.text.data() + at + word.size(), one.text.data() + one.text.size(),
                        number);
        return number == 0 || number > f->parameters.size()
                   ? std::string()
                   : std::string(f->parameters[number - 1]);
    };
    Names out{named(0), named(one.text.find(" to "))};
    return out.used.empty() || out.needed.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace

std::vector<Intervention> edits_in_source(std::span<const Intervention> possible,
                                          std::span<const SourceFile> source) {
    std::map<std::string, SourceCode> codes;
    for (const SourceFile& file : source) codes.try_emplace(file.name, file);
    std::vector<Intervention> out;
    for (Intervention one : possible) {
        const SourceLocation at = location_of(one.place);
        const auto code = codes.find(at.file);
        if (at.line > 0 && code != codes.end()) {
            if (one.kind == emulator::InterventionKind::comparison &&
                !write_as_in_source(one, code->second))
                continue;
            if (one.kind == emulator::InterventionKind::parameter) {
                const auto names = names_of(one, code->second);
                if (!names || !has_word(code->second, at.line, names->used)) continue;
            }
        }
        out.push_back(std::move(one));
    }
    return out;
}

void tell_parameters(const Intervention& one, const TaskSpec& task,
                     std::span<const SourceFile> source, Cause& cause) {
    if (one.kind != emulator::InterventionKind::parameter) return;
    const SourceLocation at = location_of(one.place);
    const SourceFile file{at.file, std::string(text_of(at.file, source))};
    const SourceCode code(file);
    const auto names = names_of(one, code);
    if (!names) return;
    const std::string old = one.text.substr(0, one.text.find(" to ")),
                      other = one.text.substr(one.text.find(" to ") + 4);
    for (std::string* text : {&cause.sentence, &cause.advice, &cause.evidence})
        for (const auto& [number, name] :
             {std::pair(other, names->needed), std::pair(old, names->used)})
            if (const std::size_t found = text->find(number); found != std::string::npos)
                text->replace(found, number.size(), fmt::format("`{}`", name));
    cause.sentence =
        fmt::format("Line {} uses `{}` where `{}` is needed.", at.line, names->used, names->needed);
    const SourceCode::Range here = code.tokens_of_line(at.line);
    const auto& tokens = code.tokens();
    for (std::size_t i = here.first + 1; i < here.last; ++i) {
        if (tokens[i].text != names->used) continue;
        if (tokens[i - 1].text == "+=") cause.id = "wrong_stride";
        // Of a plane, a row's length is taken for a column's.
        if (tokens[i - 1].text == "*" &&
            std::ranges::any_of(task.arguments, [](const auto& a) { return a.shape.size() == 2; }))
            cause.id = "transposed";
    }
}

}  // namespace cugrade
