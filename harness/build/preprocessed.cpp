// Theory of operation. The preprocessor prints `# LINE "FILE" FLAGS` in column 0: flag 1 enters a
// file, flag 2 returns to one, no flag goes on in the same file. A stack of entered files tells
// whose a token is and who included what. nvcc includes its own cuda_runtime.h from
// "<command-line>", so what is entered while the name is in angle brackets is nobody's. A
// submission could print markers of its own by #line and `# 1 "x" 1`; the scanner of includes.hpp
// refuses these where a policy is in force.
//
// Literals are followed through all files, because a raw string may hold lines that look like
// markers.
#include "build/preprocessed.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "build/lexical.hpp"

namespace cugrade {
namespace {

bool is_raw_prefix(std::string_view text) {
    return text == "R" || text == "LR" || text == "uR" || text == "UR" || text == "u8R";
}
bool is_prefix(std::string_view text) {
    return text == "L" || text == "u" || text == "U" || text == "u8";
}

constexpr int max_line = 1 << 30;  // chosen: with room for the lines that follow

struct Marker {
    int line = 0;
    std::string name;
    bool enters = false, returns = false;
};

/// `# 12 "name" 1 3` without the line's end; false if the line is something else.
bool parse_marker(std::string_view line, Marker& out) {
    if (!line.starts_with("# ")) return false;
    line.remove_prefix(2);
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), out.line);
    if (error != std::errc() || out.line < 0 || out.line > max_line) return false;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (!line.starts_with(" \"")) return false;
    std::size_t at = 2;
    for (; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] == '\\' && at + 1 < line.size()) ++at;
        out.name += line[at];
    }
    if (at >= line.size() || out.name.empty()) return false;
    for (const char c : line.substr(at + 1)) {
        if (c == '1') out.enters = true;
        if (c == '2') out.returns = true;
    }
    return true;
}

class Reader {
public:
    Reader(std::string text, const std::function<Owner(std::string_view)>& owner) : owner_(owner) {
        whole_ = std::move(text);
        text_ = whole_;
        // The first marker names the file that is compiled.
        Marker first;
        const bool is_named = parse_marker(text_.substr(0, text_.find('\n')), first);
        enter(is_named ? first.name : "<submission>", false);
    }

    Preprocessed read() {
        bool line_start = true;
        while (at_ < text_.size() && !out_.is_too_much) {
            const char c = text_[at_];
            if (c == '\n') {
                ++at_;
                ++top().line;
                line_start = true;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
                ++at_;
            } else if (line_start && (c == '#' || text_.substr(at_, 2) == "%:")) {
                hash_line();
            } else {
                line_start = false;
                token();
            }
        }
        let_go();
        return std::move(out_);
    }

private:
    /// Keeps the text of the submission's tokens and drops the whole, which has megabytes of the
    /// toolkit's headers.
    void let_go() {
        std::string own;
        own.reserve(own_bytes_);
        for (const SourceToken& token : out_.tokens) own += token.text;
        out_.source = std::make_shared<const std::string>(std::move(own));
        std::string_view rest = *out_.source;
        for (SourceToken& token : out_.tokens) {
            const std::size_t size = token.text.size();
            token.text = rest.substr(0, size);
            rest.remove_prefix(size);
        }
    }

    struct Entered {
        std::string name;
        int line = 1;
        int own = -1;              ///< in Preprocessed::files
        bool for_student = false;  ///< of the submission, or included on its behalf
        std::size_t inclusions_before = 0;
    };

    Entered& top() { return stack_.back(); }

    void enter(const std::string& name, bool by_student) {
        Entered entered{.name = name};
        entered.inclusions_before = out_.inclusions.size();
        if (owner_(name) == Owner::submission) {
            const auto known = std::ranges::find(out_.files, name);
            entered.own = static_cast<int>(known - out_.files.begin());
            if (known == out_.files.end()) out_.files.push_back(name);
            entered.for_student = true;
        } else if (by_student && owner_(name) == Owner::foreign) {
            out_.inclusions.push_back(
                {.path = name, .place = place(), .direct = !stack_.empty() && top().own >= 0});
            entered.for_student = true;
        }
        stack_.push_back(std::move(entered));
    }

    /// Where the submission is at the moment: the innermost of its files that is entered.
    SourcePlace place() const {
        for (auto entered = stack_.rbegin(); entered != stack_.rend(); ++entered)
            if (entered->own >= 0)
                return {out_.files[static_cast<std::size_t>(entered->own)], entered->line};
        return {};
    }

    void hash_line() {
        const std::size_t begin =
            text_.rfind('\n', at_) == std::string_view::npos ? 0 : text_.rfind('\n', at_) + 1;
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        const std::string_view line = text_.substr(begin, end - begin);
        Marker marker;
        if (parse_marker(line, marker)) {
            at_ = std::min(end + 1, text_.size());
            follow(marker);
        } else if (line.starts_with("#pragma ") || line.starts_with("#ident ")) {
            at_ = end;
        } else {
            stray();
            at_ = end;
        }
    }

    /// One convicts.
    void stray() {
        if (out_.stray_directives.empty()) out_.stray_directives.push_back(place());
    }

    void follow(const Marker& marker) {
        if (marker.enters) {
            const bool by_command_line = top().name.starts_with('<');
            enter(marker.name, top().for_student && !by_command_line);
        } else if (marker.returns && stack_.size() > 1) {
            const std::size_t from = top().inclusions_before;
            stack_.pop_back();
            // Only the marker behind an #include tells in which line that was.
            if (top().own >= 0)
                for (std::size_t i = from; i < out_.inclusions.size(); ++i)
                    if (out_.inclusions[i].place.file == marker.name)
                        out_.inclusions[i].place.line = marker.line - 1;
            top().name = marker.name;
        } else {
            // "<built-in>" and "<command-line>" come before the file's first token only.
            if (top().own >= 0 && marker.name != top().name && !out_.tokens.empty()) stray();
            top().name = marker.name;
        }
        top().line = marker.line;
    }

    void token() {
        const char c = text_[at_];
        const std::size_t begin = at_;
        if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
            skip_number();
        } else if (starts_identifier(c)) {
            while (at_ < text_.size() && continues_identifier(text_[at_])) ++at_;
            const std::string_view word = text_.substr(begin, at_ - begin);
            const char next = at_ < text_.size() ? text_[at_] : '\n';
            if (next == '"' && is_raw_prefix(word)) {
                skip_raw();
                add(SourceToken::Kind::text, begin);
            } else if ((next == '"' || next == '\'') && is_prefix(word)) {
                skip_quoted();
                add(SourceToken::Kind::text, begin);
            } else {
                add(SourceToken::Kind::identifier, begin);
            }
        } else if (c == '"' || c == '\'') {
            skip_quoted();
            add(SourceToken::Kind::text, begin);
        } else {
            const std::string_view two = text_.substr(at_, 2);
            // <:: is < and ::, except before another : or > ([lex.pptoken]); neither hides a name.
            at_ += two == "::" || two == "->" ? 2 : 1;
            add(SourceToken::Kind::punctuator, begin);
        }
    }

    void add(SourceToken::Kind kind, std::size_t begin) {
        if (top().own < 0) return;
        own_bytes_ += at_ - begin;
        if (out_.tokens.size() == most_source_tokens || own_bytes_ > most_source_bytes) {
            out_.is_too_much = true;
            return;
        }
        out_.tokens.push_back({kind, text_.substr(begin, at_ - begin), top().own,
                               token_line_ > 0 ? token_line_ : top().line});
        token_line_ = 0;
    }

    /// A pp-number; its ' separates digits and begins no literal.
    void skip_number() {
        for (++at_; at_ < text_.size(); ++at_) {
            const char d = text_[at_];
            const bool sign =
                (d == '+' || d == '-') &&
                std::string_view("eEpP").find(text_[at_ - 1]) != std::string_view::npos;
            const bool separator =
                d == '\'' && at_ + 1 < text_.size() && continues_identifier(text_[at_ + 1]);
            if (!sign && !separator && d != '.' && !continues_identifier(d)) break;
        }
    }

    void skip_quoted() {
        const char quote = text_[at_++];
        while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n')
            at_ += text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n' ? 2 : 1;
        if (at_ < text_.size() && text_[at_] == quote) ++at_;
    }

    void skip_raw() {
        const std::size_t open = text_.find('(', at_);
        if (open == std::string_view::npos) {
            at_ = text_.size();
            return;
        }
        const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
        const std::size_t close = text_.find(end, open + 1);
        const std::size_t after =
            close == std::string_view::npos ? text_.size() : close + end.size();
        token_line_ = top().line;
        top().line +=
            static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                        text_.begin() + static_cast<std::ptrdiff_t>(after), '\n'));
        at_ = after;
    }

    const std::function<Owner(std::string_view)>& owner_;
    Preprocessed out_;
    std::string whole_;
    std::string_view text_;  ///< whole_
    std::size_t own_bytes_ = 0;
    std::size_t at_ = 0;
    int token_line_ = 0;  ///< where a raw string of several lines began; 0: the current line
    std::vector<Entered> stack_;
};

}  // namespace

std::string SourcePlace::text() const { return line > 0 ? fmt::format("{}:{}", file, line) : file; }

SourcePlace Preprocessed::place_of(const SourceToken& token) const {
    return {files[static_cast<std::size_t>(token.file)], token.line};
}

Preprocessed read_preprocessed(std::string text,
                               const std::function<Owner(std::string_view)>& owner) {
    return Reader(std::move(text), owner).read();
}

}  // namespace cugrade
