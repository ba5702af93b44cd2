// The seeds of the fuzzers, and what they found, in every build: read or refused, never more.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "emulator/ptx/fatbin.hpp"
#include "emulator/ptx/parser.hpp"

namespace {

using namespace cugrade;

template <class F>
int for_each_file(const std::string& folder, F&& f) {
    int count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(CUGRADE_SOURCE_DIR "/tests/fuzz/corpus/" + folder)) {
        INFO(entry.path().string());
        std::ostringstream text;
        text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
        f(entry.path(), text.str());
        ++count;
    }
    return count;
}

}  // namespace

TEST_CASE("every PTX of the fuzzers' corpus is parsed or refused, whole and cut short") {
    const int files = for_each_file("ptx", [](const auto&, const std::string& text) {
        const auto module = ptx::parse(text, "corpus.ptx");
        if (!module) CHECK_FALSE(module.error().text().empty());
        for (std::size_t size = 0; size < text.size(); size += 97) {
            const auto part = ptx::parse(text.substr(0, size), "corpus.ptx");
            if (!part) CHECK_FALSE(part.error().text().empty());
        }
    });
    CHECK(files >= 15);
}

TEST_CASE("every fat binary of the fuzzers' corpus is read or refused, whole and cut short") {
    const int files = for_each_file("fatbin", [](const auto& path, const std::string& text) {
        const auto bytes = std::as_bytes(std::span(text));
        const auto entries = ptx::read_container(bytes);
        const auto object = ptx::read_object(path);
        // A container, or an object with one in it.
        CHECK((entries.ok() || object.ok()));
        for (std::size_t size = 0; size < text.size(); size += 7) {
            const auto part = ptx::read_container(bytes.first(size));
            if (!part) CHECK_FALSE(part.error().text().empty());
        }
    });
    CHECK(files >= 5);
}
