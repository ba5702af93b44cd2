// What the fuzzer of execution has kept (tests/fuzz/corpus/execute), run again: in the sanitizer
// build every byte and number of it is looked at.
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "tests/fuzz/execute.cpp"

TEST_CASE("what the fuzzer of execution kept runs or is refused") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::path(CUGRADE_SOURCE_DIR) / "tests/fuzz/corpus/execute";
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        std::ifstream stream(entry.path(), std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        REQUIRE(stream);
        INFO(entry.path());
        // As it was found, and watched by all.
        cugrade::fuzz::Setup setup = cugrade::fuzz::setup_of(text);
        cugrade::fuzz::execute(text, setup);
        setup.watch = cugrade::fuzz::Setup::all;
        setup.host_threads = 1;
        cugrade::fuzz::execute(text, setup);
        ++count;
    }
    CHECK(count >= 50);
}
