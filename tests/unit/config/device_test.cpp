#include "config/load.hpp"
#include "expect_error.hpp"
#include "temporary.hpp"

using namespace cugrade;
using namespace cugrade::config;

namespace {

const std::string good = R"(schema_version: 1
name: A GPU
multiprocessors: 40
clock_ghz: 1.5
threads_per_multiprocessor: 1024
blocks_per_multiprocessor: 16
shared_kib_per_multiprocessor: 64
fp64_per_clock: 2
dram_gb_s: 320
l2_mib: 4
l2_bytes_per_clock: 800
host_gb_s: 16
sources: [its data sheet]
)";

}  // namespace

TEST_CASE("a device profile is read in full") {
    const Temporary folder;
    folder.write("some.yaml", good);
    const auto device = load_device(folder.path(), "some");
    if (!device) FAIL(device.error().text());
    CHECK(device->id == "some");
    CHECK(device->name == "A GPU");
    CHECK(device->multiprocessors == 40);
    CHECK(device->shared_kib == 64);
    CHECK(device->host_gb_s == 16);
}

TEST_CASE("a device profile that cannot be used is told with its place") {
    const Temporary folder;
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        folder.write("some.yaml", text);
        auto device = load_device(folder.path(), "some");
        REQUIRE_FALSE(device.ok());
        return device.error();
    };
    CHECK(changed("clock_ghz: 1.5", "clock_ghz: fast").line == 4);
    CHECK(changed("clock_ghz: 1.5", "clock_ghz: 1500").key == "clock_ghz");
    CHECK(changed("clock_ghz: 1.5", "clock_mhz: 1500").line == 4);
    CHECK(changed("sources: [its data sheet]\n", "").text().find("sources") != std::string::npos);
    const auto missing = load_device(folder.path(), "other");
    REQUIRE_FALSE(missing.ok());
    CHECK(missing.error().message == "there is no device profile `other`");
    CHECK(missing.error().remedy.find("name one of some") != std::string::npos);
}

TEST_CASE("the device profiles that come along can be read") {
    const std::filesystem::path folder = CUGRADE_SOURCE_DIR "/harness/emulator/devices";
    int count = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        const auto device = load_device(folder, file.path().stem().string());
        if (!device) FAIL(device.error().text());
        ++count;
    }
    CHECK(count >= 4);
}
