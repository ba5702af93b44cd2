#include "core/files.hpp"

#include <cstdio>
#include <fstream>

#include "catch.hpp"
#include "core/shell.hpp"

using namespace cugrade;
namespace fs = std::filesystem;

TEST_CASE("a temporary folder is its owner's alone and goes with it") {
    fs::path first, second;
    {
        auto one = TemporaryFolder::make("cugrade-test-");
        auto two = TemporaryFolder::make("cugrade-test-");
        REQUIRE(one.ok());
        REQUIRE(two.ok());
        first = one->path();
        second = two->path();
        CHECK(first != second);
        const TemporaryFolder moved = *std::move(one);
        CHECK(moved.path() == first);
        std::ofstream(first / "file") << "text";
        const auto text = read_file(first / "file");
        REQUIRE(text.ok());
        CHECK(*text == "text");
    }
    CHECK_FALSE(fs::exists(first));
    CHECK_FALSE(fs::exists(second));
}

TEST_CASE("what cannot be read or made is told with the place") {
    const auto text = read_file("/nowhere/at/all");
    REQUIRE_FALSE(text.ok());
    CHECK(text.error().file == "/nowhere/at/all");
    CHECK(text.error().message == "cannot read: No such file or directory");
    const auto folder = make_unique_folder("/nowhere", "x-");
    REQUIRE_FALSE(folder.ok());
    CHECK(folder.error().file == "/nowhere");
}

TEST_CASE("a shell takes a word back as it was") {
    CHECK(shell_word("a/b-c_1.cu") == "a/b-c_1.cu");
    for (const std::string word : {"", "two words", "it's", "$HOME", "a\nb", "`x`", "*", "~"}) {
        INFO(word);
        FILE* pipe = ::popen(("printf %s " + shell_word(word)).c_str(), "r");
        REQUIRE(pipe != nullptr);
        std::string back;
        for (int c = 0; (c = std::fgetc(pipe)) != EOF;) back += static_cast<char>(c);
        ::pclose(pipe);
        CHECK(back == word);
    }
}
