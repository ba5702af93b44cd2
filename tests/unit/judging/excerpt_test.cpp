#include "judging/excerpt.hpp"

#include <fmt/format.h>

#include "catch.hpp"

using namespace cugrade;

namespace {

std::vector<SourceFile> files() {
    SourceFile file{.name = "student.cu", .text = {}};
    for (int line = 1; line <= 30; ++line)
        file.text += line == 10 ? "\n" : fmt::format("line {}\r\n", line);
    return {file, {.name = "sums.cuh", .text = "first\nsecond"}};
}

std::vector<int> shown(const Cause& cause) {
    std::vector<int> out;
    for (const SourceLine& line : excerpt_of(cause, files())) out.push_back(line.line);
    return out;
}

Cause at(int line, int end_line = 0, std::optional<SourceLocation> second = {}) {
    return {.location = {"student.cu", line, 0}, .end_line = end_line, .second = second};
}

}  // namespace

TEST_CASE("a place is shown with the lines before and after it") {
    CHECK(shown(at(5)) == std::vector{4, 5, 6});
    CHECK(shown(at(1)) == std::vector{1, 2});
    CHECK(shown(at(30)) == std::vector{29, 30});
    CHECK(shown(at(9)) == std::vector{8, 9});     // line 10 is blank
    CHECK(shown(at(11)) == std::vector{11, 12});  // so is the one before
    CHECK(shown(at(5, 6)) == std::vector{4, 5, 6, 7});
    CHECK(shown(at(5, 1000)) == std::vector{4, 5, 6, 7, 8, 9});
    CHECK(excerpt_of(at(5), files())[1] == SourceLine{"student.cu", 5, "line 5"});
}

TEST_CASE("of a race both places are shown, in the order of the file") {
    CHECK(shown(at(15, 0, SourceLocation{"student.cu", 12, 1})) == std::vector{12, 13, 14, 15});
    CHECK(shown(at(12, 0, SourceLocation{"student.cu", 15, 1})) == std::vector{12, 13, 14, 15});
    CHECK(shown(at(25, 0, SourceLocation{"student.cu", 12, 1})) == std::vector{12, 25});
    CHECK(shown(at(12, 0, SourceLocation{"student.cu", 12, 9})) == std::vector{11, 12, 13});
    const auto two = excerpt_of(at(12, 0, SourceLocation{"sums.cuh", 2, 1}), files());
    REQUIRE(two.size() == 2);
    CHECK(two[1] == SourceLine{"sums.cuh", 2, "second"});
}

TEST_CASE("what is not there is not shown") {
    CHECK(shown(at(0)).empty());
    CHECK(shown(at(31)) == std::vector{30});
    CHECK(shown(at(500)).empty());
    CHECK(excerpt_of({.location = {"other.cu", 3, 0}}, files()).empty());
    CHECK(shown(at(5, 0, SourceLocation{"other.cu", 3, 0})) == std::vector{5});
}

TEST_CASE("a single file is quoted whatever it was compiled as, and headers of others are not") {
    const std::vector<SourceFile> one{{.name = "my file.cu", .text = "first\n"}};
    CHECK(excerpt_of({.location = {"my_file.cu", 1, 0}}, one) ==
          std::vector{SourceLine{"my_file.cu", 1, "first"}});
    CHECK(excerpt_of({.location = {"/usr/include/cub.cuh", 1, 0}}, one).empty());
}
