#include "report/explanation.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "catch.hpp"
#include "core/cause.hpp"

using namespace cugrade;
using report::explanation;

namespace fs = std::filesystem;

namespace {

const fs::path pages = fs::path(CUGRADE_SOURCE_DIR) / "docs/causes";

std::string contents(const fs::path& file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
}

/// What a page has: blocks of code by their language, and the lines in them.
struct Form {
    std::size_t lines = 0;
    std::size_t cuda = 0;
    std::size_t pictures = 0;
    std::vector<std::string> code;
    bool is_open = false;
    bool has_table = false;
    std::string first_line;
};

Form form_of(const std::string& text) {
    Form out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line); ++out.lines) {
        if (out.lines == 0) out.first_line = line;
        if (!line.starts_with("```")) {
            if (out.is_open) out.code.push_back(line);
            if (!out.is_open && line.starts_with("|")) out.has_table = true;
            continue;
        }
        if (!out.is_open) (line == "```cuda" ? out.cuda : out.pictures) += 1;
        out.is_open = !out.is_open;
    }
    return out;
}

bool is_plain(const std::string& line) {
    return line.size() <= 76 &&
           std::ranges::all_of(line, [](char c) { return c >= ' ' && c <= '~'; });
}

/// What is wrong with the form of a page; empty: nothing.
std::string fault_of(const std::string& text) {
    const Form form = form_of(text);
    if (!form.first_line.starts_with("# ")) return "no title";
    if (form.lines < 15) return "fewer than 15 lines";
    if (form.cuda < 2) return "no example before and after";
    if (form.pictures < 1) return "no picture";
    if (form.is_open) return "a block of code without an end";
    if (form.has_table) return "a table, which a terminal does not lay out";
    for (const std::string& line : form.code)
        if (!is_plain(line)) return "not 76 columns of ASCII: " + line;
    return "";
}

}  // namespace

TEST_CASE("each page about a cause belongs to one and has an example and a picture") {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(pages)) {
        INFO(entry.path());
        CHECK(entry.path().extension() == ".md");
        CHECK(cause_kind(entry.path().stem().string()) != nullptr);
        CHECK(fault_of(contents(entry.path())) == "");
        ++count;
    }
    CHECK(count > 0);
    const auto model = contents(pages / "missing_barrier.md");  // the check itself can fail
    CHECK(fault_of(model.substr(0, model.find("## After"))) == "no example before and after");
    CHECK(fault_of(model.substr(model.find("## Before"))) == "no title");
    CHECK(fault_of("# A title\n") == "fewer than 15 lines");
}

TEST_CASE("every cause has a page") {
    for (const CauseKind& kind : causes()) {
        INFO(kind.id);
        CHECK(fs::exists(pages / (std::string(kind.id) + ".md")));
    }
}

TEST_CASE("a page is laid out for the terminal") {
    const std::string page =
        "# A title\n\nOne paragraph\nof two lines, with **bold** words.\n\n"
        "- an item that is so long that it goes on\n  in a second line\n- another\n\n"
        "```cuda\nif (i < n)\n    out[i] = 0;  // as it is\n```\n\n"
        "See [the handout](../../assignments/scan/README.md#in-a-block), and "
        "[this](https://x.org/a).\n";
    CHECK(explanation(page, {.width = 40}) ==
          "A title\n\nOne paragraph of two lines, with bold\nwords.\n\n"
          "- an item that is so long that it goes\n  on in a second line\n- another\n\n"
          "  if (i < n)\n      out[i] = 0;  // as it is\n\n"
          "See the handout\n(assignments/scan/README.md), and this\n(https://x.org/a).\n");
    CHECK(explanation(page, {.colour = true}).starts_with("\x1b[1mA title\x1b[0m\n"));
    CHECK(explanation("x[i] and y[j](k), `a[i](b)` and `**p`\n", {}) ==
          "x[i] and yj (k), `a[i](b)` and `**p`\n");
    for (const char* odd : {"", "[", "[a](", "**", "```", "- ", "#", "# \n```\n\x1b[2J"})
        CHECK(explanation(odd, {}).find('\x1b') == std::string::npos);
}

TEST_CASE("no line of a page is wider than the terminal") {
    for (const auto& entry : fs::directory_iterator(pages))
        for (const int width : {40, 80, 200}) {
            std::istringstream in(explanation(contents(entry.path()), {.width = width}));
            for (std::string line; std::getline(in, line);)
                CHECK(line.size() <= static_cast<std::size_t>(width) + 2);  // "…" has 3 bytes
        }
}
