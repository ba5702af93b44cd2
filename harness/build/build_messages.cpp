// Theory of operation: messages of compilers are lines with a place in front, in these formats:
//
//     student.cu(12): error: text            cudafe++ and cicc
//     student.cu:12:5: error: text           the host compiler
//     ptxas error   : text                   ptxas
//     ld: a.o: in function `f()':            the linker: the object,
//     /dir/student.cu:5: undefined reference to `g(int)'          then the places in it
//
// The lines are searched by hand: std::regex recurses per character, and a line of a template error
// can have a hundred kilobytes.
#include "build/build_messages.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/ascii.hpp"
#include "emulator/ptx/module.hpp"

namespace cugrade {
namespace {

template <class F>
void for_each_line(std::string_view text, F&& f) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (!f(text.substr(0, end))) return;
        if (end == std::string_view::npos) return;
        text.remove_prefix(end + 1);
    }
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    if (from.empty()) return;
    std::string out;
    std::size_t at = 0;
    for (std::size_t hit; (hit = text.find(from, at)) != std::string::npos; at = hit + from.size())
        out.append(text, at, hit - at).append(to);
    if (at == 0) return;
    out.append(text, at);
    text = std::move(out);
}

/// "name(12): rest" as "name:12: rest".
std::string with_colons(std::string_view line) {
    const std::size_t close = line.find("): ");
    if (close == std::string_view::npos) return std::string(line);
    std::size_t open = close;
    while (open > 0 && is_digit(line[open - 1])) --open;
    if (open == close || open < 2 || line[open - 1] != '(') return std::string(line);
    std::string out(line.substr(0, open - 1));
    out += ':';
    out += line.substr(open, close - open);
    out += line.substr(close + 1);
    return out;
}

bool speaks_of_tools(std::string_view line) {
    return line.starts_with("Remark: The warnings can be suppressed with") ||
           line.starts_with("compilation terminated.") || line.starts_with("collect2: error:") ||
           line.find("detected in the compilation of") != std::string_view::npos;
}

/// "student.cu:5" from "/usr/bin/ld: student.cu:5: undefined ...", where binutils 2.42 has
/// "student.cu:5:(.text+0x15): undefined ..."; empty if it has no line number.
std::string place_before(std::string_view line, std::size_t message) {
    std::string_view head = line.substr(0, message);
    while (!head.empty() && (head.back() == ' ' || head.back() == ':')) head.remove_suffix(1);
    if (const std::size_t section = head.rfind(":(."); head.ends_with(')') && section != head.npos)
        head = head.substr(0, section);
    if (const std::size_t tool = head.rfind(": "); tool != std::string_view::npos)
        head.remove_prefix(tool + 2);
    if (const std::size_t object = head.find(".o:"); object != std::string_view::npos)
        head.remove_prefix(object + 3);
    const std::size_t colon = head.rfind(':');
    const bool numbered = colon != std::string_view::npos && colon + 1 < head.size() &&
                          std::ranges::all_of(head.substr(colon + 1), is_digit);
    return numbered ? std::string(head) : std::string();
}

constexpr std::string_view undefined = "undefined reference to ";

std::string quoted_after(std::string_view line, std::size_t at) {
    const std::size_t open = line.find('`', at);
    if (open == std::string_view::npos) return {};
    const std::size_t close = line.find('\'', open);
    return std::string(
        line.substr(open + 1, close == std::string_view::npos ? close : close - open - 1));
}

}  // namespace

std::string tidy(std::string_view output, const PathNames& names) {
    PathNames longest_first = names;
    std::ranges::sort(longest_first,
                      [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
    std::string out;
    bool skip_blank = false;
    for_each_line(output, [&](std::string_view raw) {
        std::string line(raw);
        if (!line.empty() && line.back() == '\r') line.pop_back();
        for (const auto& [from, to] : longest_first) replace_all(line, from, to);
        line = with_colons(line);
        if (speaks_of_tools(line)) {
            skip_blank = true;
            return true;
        }
        if (line.empty() && (skip_blank || out.empty())) return true;
        skip_blank = false;
        out += line;
        out += '\n';
        return true;
    });
    while (out.ends_with("\n\n")) out.pop_back();
    return out;
}

bool asks_for_lambdas(std::string_view output) {
    return output.find("annotation on lambda requires --extended-lambda") != std::string_view::npos;
}

std::string first_compile_error(std::string_view tidied) {
    std::string found;
    for_each_line(tidied, [&found](std::string_view line) {
        if (line.starts_with("ptxas fatal") && found.empty()) {
            found = line;
            return true;  // an error may follow that says more
        }
        // "error:", "fatal error:", "error #20:", "catastrophic error:", "ptxas error   :".
        for (std::size_t at = 0; (at = line.find("error", at)) != std::string_view::npos; at += 5) {
            std::size_t end = at + 5;
            while (end < line.size() && (line[end] == ' ' || line[end] == '#' || line[end] == '-' ||
                                         line[end] == 'D' || is_digit(line[end])))
                ++end;
            const bool own_word = at == 0 || line[at - 1] == ' ';
            if (end >= line.size() || line[end] != ':' || !own_word) continue;
            if (line.substr(0, at).find("warning") != std::string_view::npos) return true;
            found = line;
            return false;
        }
        return true;
    });
    constexpr std::size_t longest = 300;
    if (found.size() > longest) found = found.substr(0, longest) + " ...";
    return found;
}

std::string unresolved_by_ptxas(std::string_view output) {
    constexpr std::string_view says = "Unresolved extern function '";
    const std::size_t at = output.find(says);
    if (at == std::string_view::npos) return {};
    output.remove_prefix(at + says.size());
    return ptx::demangled(output.substr(0, output.find_first_of("'\n")));
}

LinkError first_link_error(std::string_view tidied) {
    LinkError error;
    for_each_line(tidied, [&error](std::string_view line) {
        constexpr std::string_view duplicate = "multiple definition of ";
        if (const std::size_t at = line.find(undefined); at != std::string_view::npos) {
            error.kind = LinkError::Kind::undefined;
            error.symbol = quoted_after(line, at);
            error.place = place_before(line, at);
            return false;
        }
        if (const std::size_t at = line.find(duplicate); at != std::string_view::npos) {
            error.kind = LinkError::Kind::duplicate;
            error.symbol = quoted_after(line, at);
            error.place = place_before(line, at);
            const std::size_t first = line.find("first defined here", at);
            const std::size_t separator = line.find("'; ", at);
            if (first != std::string_view::npos && separator != std::string_view::npos)
                error.first = place_before(line.substr(separator + 3), first - separator - 3);
            return false;
        }
        return true;
    });
    return error;
}

bool tells_of_ended_program(std::string_view output) {
    constexpr std::string_view before = ": fatal error: ", behind = " signal terminated program ";
    constexpr std::array<std::string_view, 5> signals{"Hangup", "Interrupt", "Quit", "Killed",
                                                      "Terminated"};
    bool found = first_compile_error(output).empty() &&
                 output.find("Compilation terminated.") != std::string_view::npos;
    for_each_line(output, [&](std::string_view line) {
        // A message about a source file has its place in front: "student.cu:1:10".
        const std::size_t at = line.find(':');
        if (at != std::string_view::npos && line.substr(at).starts_with(before))
            for (const std::string_view signal : signals)
                found |= line.substr(at + before.size()).starts_with(signal) &&
                         line.substr(at + before.size() + signal.size()).starts_with(behind);
        return !found;
    });
    return found;
}

std::vector<UndefinedReference> undefined_references(std::string_view output) {
    std::vector<UndefinedReference> found;
    for_each_line(output, [&found](std::string_view line) {
        if (const std::size_t at = line.find(undefined); at != std::string_view::npos)
            found.push_back({quoted_after(line, at), place_before(line, at)});
        return true;
    });
    return found;
}

}  // namespace cugrade
