#include "report/explanation.hpp"

#include <algorithm>
#include <utility>

#include "core/printable.hpp"
#include "report/page.hpp"

namespace cugrade::report {
namespace {

constexpr std::size_t longest_page = 64 << 10;
constexpr int widest_text = 100;  // chosen: longer lines are hard to read

/// "../../assignments/scan/README.md#in-a-block" without the way up and the heading.
std::string_view target_of(std::string_view link) {
    while (link.starts_with("../")) link.remove_prefix(3);
    return link.substr(0, link.find('#'));
}

/// Links and bold words as they are read; what stands in backquotes stays as it is.
std::string inline_text(std::string_view text) {
    std::string out;
    const auto take = [&](std::size_t bytes) {
        out += text.substr(0, bytes);
        text.remove_prefix(std::min(bytes, text.size()));
    };
    while (!text.empty()) {
        const auto bracket = text.find(']');
        const auto close = text.find(')');
        const auto quote = text.find('`', 1);
        if (text.front() == '`' && quote != std::string_view::npos) {
            take(quote + 1);
        } else if (text.front() == '[' && close != std::string_view::npos && bracket < close &&
                   text[bracket + 1] == '(') {
            out += text.substr(1, bracket - 1);
            out += " (";
            out += target_of(text.substr(bracket + 2, close - bracket - 2));
            out += ')';
            text.remove_prefix(close + 1);
        } else if (text.starts_with("**")) {
            text.remove_prefix(2);
        } else {
            take(1);
        }
    }
    return out;
}

bool is_item(std::string_view line) { return line.starts_with("- "); }

class Explanation {
public:
    explicit Explanation(Page& page) : page_(page) {}

    void add(std::string_view line) {
        if (line.starts_with("```")) {
            end_paragraph();
            in_code_ = !in_code_;
        } else if (in_code_) {
            page_.line({{"  "}, {std::string(line)}});
        } else if (line.empty()) {
            end_paragraph();
            page_.blank();
        } else if (line.starts_with('#')) {
            end_paragraph();
            line.remove_prefix(std::min(line.find_first_not_of("# "), line.size()));
            page_.line({{inline_text(line), Tone::strong}});
        } else {
            if (is_item(line)) end_paragraph();
            if (line.starts_with("  ")) line.remove_prefix(line.find_first_not_of(' '));
            text_ += (text_.empty() ? "" : " ") + std::string(line);
        }
    }
    void end_paragraph() {
        if (text_.empty()) return;
        const std::string text = std::exchange(text_, {});
        page_.paragraph(0, is_item(text) ? 2 : 0, inline_text(text));
    }

private:
    Page& page_;
    std::string text_;  ///< of the paragraph that has begun
    bool in_code_ = false;
};

}  // namespace

std::string explanation(std::string_view markdown, const Style& given) {
    Style style = given;
    style.width = std::min(style.width, widest_text);
    Page page(style);
    Explanation out(page);
    const std::string text = clean(markdown, longest_page, true);
    for (std::string_view rest = text; !rest.empty();) {
        const auto end = rest.find('\n');
        out.add(rest.substr(0, end));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    out.end_paragraph();
    return page.text();
}

}  // namespace cugrade::report
