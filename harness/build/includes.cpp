// Theory of operation. The scanner performs the phases of translation (C++17 [lex.phases], as GCC
// does them) as far as they decide which lines are directives. It joins lines that end in a
// backslash and skips comments, literals, raw strings and numbers with digit separators. Then it
// reads the include directives on lines that begin with #. A directive counts even if an #if would
// skip it. The scanner sees the sources only: the sandbox makes sure that no file outside can be
// opened.
#include "build/includes.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>

#include <fmt/format.h>

#include "build/lexical.hpp"

namespace cugrade {
namespace {

namespace fs = std::filesystem;

class Scanner {
public:
    /// `lines_too`: reports #line and line markers, too.
    Scanner(const SourceFile& file, const std::vector<SourceFile>& files, bool lines_too)
        : file_(file), files_(files), lines_too_(lines_too) {
        join_lines();
        if (looking_at("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark is no token
    }

    /// The first foreign include as a sentence, or empty.
    std::string scan() {
        bool line_start = true;
        while (problem_.empty() && at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                line_start = true;
                ++at_;
                gap(at_ - 1);
            } else if (is_blank(c)) {
                gap(at_++);
            } else if (const std::size_t before = at_; skip_comment()) {
                gap(before);
            } else if (line_start && (c == '#' || looking_at("%:"))) {
                at_ += c == '#' ? 1 : 2;
                line_start = false;
                directive();
            } else {
                line_start = false;
                token();
            }
        }
        return problem_;
    }

private:
    static bool is_blank(char c) {
        return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
    }
    [[nodiscard]] bool looking_at(std::string_view what) const {
        return std::string_view(text_).substr(at_, what.size()) == what;
    }
    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n';
    }

    /// Like GCC, joins lines even if blanks follow the backslash.
    void join_lines() {
        const std::string& in = file_.text;
        for (std::size_t i = 0; i < in.size(); ++i) {
            if (in[i] == '\\') {
                std::size_t end = i + 1;
                while (end < in.size() && is_blank(in[end])) ++end;
                if (end < in.size() && in[end] == '\n') {
                    i = end;
                    continue;
                }
            }
            text_ += in[i];
            origin_.push_back(i);
        }
    }

    /// Counts a gap (blanks, a comment) after a literal as part of it, because literals on both
    /// sides of a gap are one.
    void gap(std::size_t before) {
        if (literal_end_ == before) literal_end_ = at_;
    }

    bool skip_comment() {
        if (looking_at("//")) {
            at_ = std::min(text_.find('\n', at_), text_.size());
            return true;
        }
        if (looking_at("/*")) {
            const std::size_t end = text_.find("*/", at_ + 2);
            at_ = end == std::string::npos ? text_.size() : end + 2;
            return true;
        }
        return false;
    }

    void skip_blanks() {
        while (at_ < text_.size() && text_[at_] != '\n' &&
               (is_blank(text_[at_]) || looking_at("/*")))
            if (!skip_comment()) ++at_;
    }

    std::string identifier() {
        const std::size_t begin = at_;
        while (continues_identifier(peek())) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    void token() {
        const char c = peek();
        if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
            // A pp-number; its ' separates digits and begins no literal.
            for (++at_;; ++at_) {
                const char d = peek();
                const bool sign =
                    (d == '+' || d == '-') &&
                    std::string_view("eEpP").find(text_[at_ - 1]) != std::string_view::npos;
                const bool separator = d == '\'' && continues_identifier(peek(1));
                if (!continues_identifier(d) && d != '.' && !sign && !separator) return;
            }
        }
        if (starts_identifier(c)) {
            const std::size_t where = at_;
            const std::string name = identifier();
            if (name.starts_with("__has_include") || name == "__has_embed")
                return probe(where, name);
            const bool raw =
                name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R";
            if (raw && peek() == '"') raw_string();
            return;
        }
        if (c == '"' || c == '\'') return literal(c);
        ++at_;
    }

    /// __has_include("x") tells whether a file is there.
    void probe(std::size_t where, const std::string& name) {
        skip_blanks();
        if (peek() != '(') return;
        ++at_;
        skip_blanks();
        const char open = peek();
        const std::size_t end = open == '<'   ? text_.find_first_of(">\n", at_ + 1)
                                : open == '"' ? text_.find_first_of("\"\n", at_ + 1)
                                              : std::string::npos;
        if (end == std::string::npos || text_[end] == '\n')
            return tell(where,
                        fmt::format("{} needs the name of a file in \"\" or <>, no macro", name));
        const std::string asked = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        if (is_foreign(asked, open == '"'))
            tell(where,
                 fmt::format("{} asks for a file outside of the submission; remove it", name));
    }

    void literal(char quote) {
        const std::size_t begin = at_++;
        for (; peek() != '\n' && peek() != quote; ++at_)
            if (peek() == '\\' && peek(1) != '\n') ++at_;
        if (peek() == quote) ++at_;
        reads_file(std::string_view(text_).substr(begin, at_ - begin), begin);
    }

    /// In a raw string no lines are joined, so its end is searched in the original text.
    void raw_string() {
        const std::size_t begin = at_;
        const std::size_t quote = origin_[at_];
        const std::string& in = file_.text;
        const std::size_t open = in.find('(', quote);
        if (open == std::string::npos || open - quote > 17) {
            ++at_;
            return;
        }
        const std::string end = ")" + in.substr(quote + 1, open - quote - 1) + "\"";
        const std::size_t close = in.find(end, open + 1);
        const std::size_t after = close == std::string::npos ? in.size() : close + end.size();
        at_ = static_cast<std::size_t>(std::ranges::lower_bound(origin_, after) - origin_.begin());
        reads_file(std::string_view(in).substr(quote, after - quote), begin);
    }

    /// Reports a directive of the assembler that reads a file. Adjacent literals are one, and the
    /// assembler ignores case.
    void reads_file(std::string_view literal, std::size_t where) {
        if (literal_end_ != where) literals_.clear();
        // What was there has been searched; a directive may lie across.
        constexpr std::size_t longest = 8;
        const std::size_t from = literals_.size() - std::min(literals_.size(), longest);
        for (const char c : literal)
            if (c != '"')
                literals_ += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        literal_end_ = at_;
        for (const char* directive : {".incbin", ".include"})
            if (literals_.find(directive, from) != std::string::npos)
                tell(where,
                     fmt::format("the assembler's {} reads other files; put what you need into "
                                 "your source",
                                 directive));
    }

    void directive() {
        skip_blanks();
        const std::size_t where = at_;
        if (lines_too_ && is_digit(peek()))
            return tell(where, "a line marker would hide where things come from; remove it");
        const std::string name = identifier();
        if (lines_too_ && name == "line")
            return tell(where, "#line would hide where things come from; remove it");
        if (name != "include" && name != "include_next" && name != "import" && name != "embed")
            return;
        skip_blanks();
        const char open = peek();
        const char close = open == '<' ? '>' : '"';
        const std::size_t end = open == '<' || open == '"'
                                    ? text_.find_first_of({close, '\n'}, at_ + 1)
                                    : std::string::npos;
        if (end == std::string::npos || text_[end] != close)
            return tell(where,
                        fmt::format("#{} needs the name of a file in \"\" or <>, no macro", name));
        const std::string included = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        if (is_foreign(included, open == '"'))
            tell(where, fmt::format(
                            "#{} {}{}{} names a file outside of the submission; hand in the folder "
                            "with that file in it, or copy what you need from it",
                            name, open, included, close));
    }

    [[nodiscard]] bool is_foreign(const std::string& included, bool quoted) const {
        const fs::path path = included;
        if (path.is_absolute()) return true;
        if (std::ranges::find(path, "..") == path.end()) return false;
        // The compiler would look for a missing file relative to the folders of the include path,
        // too.
        const std::string inside =
            (fs::path(file_.name).parent_path() / path).lexically_normal().generic_string();
        return !quoted ||
               std::ranges::none_of(files_, [&](const SourceFile& f) { return f.name == inside; });
    }

    void tell(std::size_t where, std::string_view what) {
        if (!problem_.empty()) return;
        const std::size_t origin = where < origin_.size() ? origin_[where] : file_.text.size();
        const auto line =
            1 + std::count(file_.text.begin(),
                           file_.text.begin() + static_cast<std::ptrdiff_t>(origin), '\n');
        problem_ = fmt::format("{}:{}: {}", file_.name, line, what);
    }

    const SourceFile& file_;
    const std::vector<SourceFile>& files_;
    bool lines_too_;
    std::string text_;                 ///< lines joined
    std::vector<std::size_t> origin_;  ///< where each character of text_ stands in the file
    std::size_t at_ = 0;
    std::string literals_;         ///< adjacent literals up to literal_end_
    std::size_t literal_end_ = 0;  ///< where the last literal ends, with the gap behind it
    std::string problem_;
};

}  // namespace

std::string find_foreign_include(const std::vector<SourceFile>& files) {
    for (const SourceFile& file : files)
        if (std::string problem = Scanner(file, files, false).scan(); !problem.empty())
            return problem;
    return "";
}

std::string find_line_directive(const std::vector<SourceFile>& files) {
    for (const SourceFile& file : files)
        if (std::string problem = Scanner(file, files, true).scan(); !problem.empty())
            return problem;
    return "";
}

}  // namespace cugrade
