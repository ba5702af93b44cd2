#include "timing/counts_cache.hpp"

#include <atomic>
#include <fstream>
#include <thread>

#include "catch.hpp"
#include "core/files.hpp"

using namespace cugrade;
namespace fs = std::filesystem;

namespace {

const seal::Key grader = *seal::Key::from_hex(std::string(64, 'a'));

/// Of many kernels, so that writing them takes a while.
emulator::DeviceCounts counts_of(std::uint64_t launches, std::size_t kernels = 1) {
    emulator::DeviceCounts out;
    out.kernels.resize(kernels);
    for (emulator::KernelCounts& kernel : out.kernels) {
        kernel.kernel = "k";
        kernel.launches = launches;
    }
    return out;
}

std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

}  // namespace

TEST_CASE("counts are found by the key under which they are kept") {
    const auto folder = TemporaryFolder::make("test");
    REQUIRE(folder.ok());
    const CountsCache cache(folder->path() / "counts", grader);
    CHECK_FALSE(cache.find("a"));
    cache.keep("a", counts_of(1));
    cache.keep("b", counts_of(2));
    REQUIRE(cache.find("a"));
    CHECK(cache.find("a")->kernels.at(0).launches == 1);
    CHECK(cache.find("b")->kernels.at(0).launches == 2);
    cache.keep("a", counts_of(3));
    CHECK(cache.find("a")->kernels.at(0).launches == 3);
}

TEST_CASE("counts that are torn, changed or of another key are none, and are replaced") {
    const auto folder = TemporaryFolder::make("test");
    REQUIRE(folder.ok());
    const CountsCache cache(folder->path(), grader);
    cache.keep("a", counts_of(1));
    const fs::path file = cache.file_of("a");
    const std::string whole = *read_file(file);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        std::ofstream(file, std::ios::binary) << whole.substr(0, size);
        CHECK_FALSE(cache.find("a"));
    }
    std::string changed = whole;
    changed.replace(changed.find("\"launches\":1"), 12, "\"launches\":2");
    for (const std::string& text :
         {changed, whole + "\n", std::string("{\"kernels\": [], \"host\": {}}")}) {
        std::ofstream(file, std::ios::binary) << text;
        CHECK_FALSE(cache.find("a"));
    }
    // What somebody writes who knows the format and has another key.
    const CountsCache theirs(folder->path() / "theirs", *seal::Key::from_hex(std::string(64, 'b')));
    theirs.keep("a", counts_of(9));
    fs::copy_file(theirs.file_of("a"), file, fs::copy_options::overwrite_existing);
    CHECK_FALSE(cache.find("a"));
    cache.keep("b", counts_of(2));
    fs::copy_file(cache.file_of("b"), file, fs::copy_options::overwrite_existing);
    CHECK_FALSE(cache.find("a"));
    cache.keep("a", counts_of(3));
    REQUIRE(cache.find("a"));
    CHECK(cache.find("a")->kernels.at(0).launches == 3);
}

TEST_CASE("counts that several threads keep at once are whole at any time", "[threads]") {
    const auto folder = TemporaryFolder::make("test");
    REQUIRE(folder.ok());
    const CountsCache cache(folder->path(), grader);
    cache.keep("key", counts_of(0, 20));
    std::atomic<bool> done = false;
    std::vector<std::thread> writers;
    for (std::uint64_t n = 1; n <= 3; ++n)
        writers.emplace_back([&, n] {
            for (int i = 0; i < 30; ++i) cache.keep("key", counts_of(n, 20 * n));
        });
    int torn = 0;
    std::thread reader([&] {
        while (!done) {
            const auto found = cache.find("key");
            const std::uint64_t n = found ? found->kernels.at(0).launches : 0;
            if (!found || found->kernels.size() != (n == 0 ? 20 : 20 * n)) ++torn;
        }
    });
    for (std::thread& writer : writers) writer.join();
    done = true;
    reader.join();
    CHECK(torn == 0);
    CHECK(files_in(folder->path()) == 1);  // nothing is left of what was put together
}

TEST_CASE("counts that cannot be written are not kept") {
    CountsCache("/proc/nowhere", grader).keep("key", counts_of(1));
    CHECK_FALSE(CountsCache("/proc/nowhere", grader).find("key"));
}
