// What pages of HTML share: text made harmless, and the frame around a page.
//
// A page is one file that asks for nothing else. Its Content-Security-Policy allows the style and
// the script that html_page() puts there, by their hashes, and nothing else: should a text of a
// student's ever get through as markup, a browser still would not run or load it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cugrade::report {

/// Text that somebody else chose, on one line, for elements and for attributes in double quotes.
[[nodiscard]] std::string escaped(std::string_view text, std::size_t max_bytes = 2000);
/// The same for a name within other text, which a name written from right to left then does not
/// reorder.
[[nodiscard]] std::string isolated(std::string_view name);

/// A path as a URI: all but unreserved characters and slashes escaped.
[[nodiscard]] std::string uri(std::string_view path);

struct HtmlPage {
    std::string_view title;        ///< as text
    std::string_view body;         ///< as HTML: header, nav, main
    std::string_view script = {};  ///< not HTML: it must not hold "</script"
    std::string_view style = {};   ///< CSS beside what all pages share
};
/// The page: readable in light and dark, by keyboard and on paper, in the style that all share.
[[nodiscard]] std::string html_page(const HtmlPage&);

/// A table that scrolls on its own where the window is narrower. `name` is for those who cannot see
/// it; `head` and `body` are the rows as HTML.
struct HtmlTable {
    std::string_view name;
    std::string_view head;
    std::string_view body;
    std::string_view id = {};  ///< may be empty
    bool is_long = false;      ///< laid out only once it is near what is seen
};
[[nodiscard]] std::string html_table(const HtmlTable&);

}  // namespace cugrade::report
