// Theory of operation. No compiler is asked: a scanner that knows comments, literals and braces
// follows the blocks of the text. What a macro hides is not seen, and then the place stays where
// it was.
#include "judging/source_places.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "build/lexical.hpp"

namespace cugrade {
namespace {

struct Block {
    int first_line = 0;
    int last_line = 0;  ///< of its closing brace
    bool is_branch = false;
};

/// Whether the text in front of a brace begins with `if` or `else`.
bool begins_a_branch(std::string_view head) {
    std::size_t begin = 0;
    while (begin < head.size() && !starts_identifier(head[begin])) ++begin;
    std::size_t end = begin;
    while (end < head.size() && continues_identifier(head[end])) ++end;
    const std::string_view word = head.substr(begin, end - begin);
    return word == "if" || word == "else";
}

/// All blocks in braces, those inside before those around them.
std::vector<Block> blocks_of(std::string_view text) {
    std::vector<Block> open, closed;
    std::string head;  // since the last brace or semicolon
    int line = 1, parentheses = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const char next = i + 1 < text.size() ? text[i + 1] : '\0';
        if (c == '\n') ++line;
        if (c == '/' && next == '/') {
            i = std::min(text.find('\n', i), text.size()) - 1;
        } else if (c == '/' && next == '*') {
            const std::size_t end = std::min(text.find("*/", i + 2), text.size() - 1);
            line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                                text.begin() + static_cast<std::ptrdiff_t>(end),
                                                '\n'));
            i = end + 1;
        } else if (c == '"' || (c == '\'' && (head.empty() || !continues_identifier(head.back())))) {
            for (++i; i < text.size() && text[i] != c && text[i] != '\n'; ++i)
                if (text[i] == '\\') ++i;
        } else if (c == '{') {
            open.push_back({.first_line = line, .is_branch = begins_a_branch(head)});
            head.clear();
        } else if (c == '}') {
            if (!open.empty()) {
                open.back().last_line = line;
                closed.push_back(open.back());
                open.pop_back();
            }
            head.clear();
        } else if (c == ';' && parentheses == 0) {
            head.clear();
        } else {
            parentheses = std::max(0, parentheses + (c == '(') - (c == ')'));
            head += c;
        }
    }
    return closed;
}

}  // namespace

SourceLocation launch_of(std::string_view kernel, std::span<const SourceFile> source) {
    for (const SourceFile& file : source) {
        int line = 1;
        for (std::size_t begin = 0; begin < file.text.size(); ++line) {
            const std::size_t end = std::min(file.text.find('\n', begin), file.text.size());
            const std::string_view text = std::string_view(file.text).substr(begin, end - begin);
            begin = end + 1;
            const std::size_t launch = text.find("<<<");
            if (launch == std::string_view::npos) continue;
            const std::size_t name = text.rfind(kernel, launch);
            if (name != std::string_view::npos)
                return {file.name, line, static_cast<int>(name) + 1};
        }
    }
    return {};
}

int line_behind_branches(std::string_view text, int line) {
    for (const Block& block : blocks_of(text)) {
        if (block.first_line > line || block.last_line < line) continue;
        if (!block.is_branch) return line;
        line = block.last_line;
    }
    return line;
}

int head_of_branch(std::string_view text, int line) {
    // Chosen: a longer body does more than what is asked about.
    constexpr int longest_body = 4;
    const Block* inner = nullptr;
    const std::vector<Block> blocks = blocks_of(text);
    for (const Block& block : blocks)
        if (inner == nullptr && block.first_line < line && block.last_line >= line) inner = &block;
    if (inner != nullptr && inner->is_branch && line - inner->first_line <= longest_body)
        return inner->first_line;
    // Without braces: the line before ends in the head's parenthesis.
    std::size_t begin = 0;
    for (int n = 1; n + 1 < line; ++n) {
        begin = text.find('\n', begin);
        if (begin == std::string_view::npos) return line;
        ++begin;
    }
    if (line < 2) return line;
    std::string_view before = text.substr(begin, text.find('\n', begin) - begin);
    before = before.substr(0, before.find("//"));
    while (!before.empty() && (before.back() == ' ' || before.back() == '\r')) before.remove_suffix(1);
    return begins_a_branch(before) && (before.ends_with(')') || before.ends_with("else")) ? line - 1
                                                                                         : line;
}

std::string_view text_of(std::string_view file, std::span<const SourceFile> source) {
    const auto found = std::ranges::find(source, file, &SourceFile::name);
    return found == source.end() ? std::string_view() : found->text;
}

}  // namespace cugrade
