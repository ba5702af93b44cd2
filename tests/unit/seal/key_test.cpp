#include "seal/key.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "core/files.hpp"
#include "seal/private_file.hpp"

using namespace cugrade;
namespace fs = std::filesystem;

namespace {

/// A folder in which the key is looked for.
struct Place {
    TemporaryFolder folder = *TemporaryFolder::make("test");
    fs::path path = folder.path();
    Place() {
        ::unsetenv("CUGRADE_KEY_FILE");
        ::setenv("XDG_CONFIG_HOME", path.c_str(), 1);
    }
    ~Place() {
        ::unsetenv("CUGRADE_KEY_FILE");
        ::unsetenv("XDG_CONFIG_HOME");
    }
};

mode_t mode_of(const fs::path& path) {
    struct stat info {};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    return info.st_mode & 07777;
}

}  // namespace

TEST_CASE("a code is HMAC-SHA-256 over the purpose and the parts, each with its length") {
    const auto key = seal::Key::from_hex(std::string(64, '0'));
    REQUIRE(key.ok());
    // printf '\1\0\0\0\0\0\0\0p\2\0\0\0\0\0\0\0ab' | openssl dgst -sha256 -mac HMAC -macopt
    // hexkey:00... (64 zeros)
    CHECK(key->mac("p", {"ab"}) ==
          "167376a9b5b5228b89823ef691e53f078cc6ed39fba932096a3ac44beeb8febe");
    CHECK(key->made(key->mac("p", {"ab"}), "p", {"ab"}));
    std::set<std::string> codes{key->mac("p", {"ab"}),     key->mac("p", {"a", "b"}),
                                key->mac("pa", {"b"}),     key->mac("p", {"", "ab"}),
                                key->mac("p", {"ab", ""}), key->mac("q", {"ab"})};
    CHECK(codes.size() == 6);
    CHECK_FALSE(key->made("", "p", {"ab"}));
    CHECK_FALSE(key->made(key->mac("p", {"ab"}) + "0", "p", {"ab"}));
    CHECK_FALSE(seal::Key::of_this_run().made(key->mac("p", {"ab"}), "p", {"ab"}));
    for (const std::string& text : {std::string(), std::string(63, '0'), std::string(64, 'g')})
        CHECK_FALSE(seal::Key::from_hex(text).ok());
}

TEST_CASE("the grader's key is made once, and its owner's alone") {
    const Place place;
    CHECK_FALSE(seal::existing_key().ok());
    const auto key = seal::grader_key();
    REQUIRE(key.ok());
    CHECK(key->is_kept());
    CHECK(mode_of(place.path / "cugrade/key") == 0600);
    REQUIRE(seal::existing_key().ok());
    CHECK(seal::existing_key()->id() == key->id());
    ::setenv("CUGRADE_KEY_FILE", (place.path / "other").c_str(), 1);
    REQUIRE(seal::grader_key().ok());
    CHECK(seal::grader_key()->id() != key->id());
}

TEST_CASE("processes that make the key at once get the same", "[threads]") {
    const Place place;
    std::vector<std::thread> threads;
    std::vector<bool> made(8);
    const fs::path file = place.path / "file";
    for (std::size_t i = 0; i < 8; ++i)
        threads.emplace_back([&, i] {
            const Status written = seal::write_private(file, std::to_string(i));
            static std::mutex mutex;
            const std::lock_guard lock(mutex);
            made[i] = written.ok();
        });
    for (auto& thread : threads) thread.join();
    CHECK(std::count(made.begin(), made.end(), true) == 1);
    const auto text = seal::read_private(file);
    REQUIRE(text.ok());
    CHECK(made[static_cast<std::size_t>(std::stoi(*text))]);
    CHECK(std::distance(fs::directory_iterator(place.path), fs::directory_iterator()) == 1);
}

TEST_CASE("a key that others may read, or that is none, is refused with a remedy") {
    const Place place;
    const fs::path file = place.path / "cugrade/key";
    fs::create_directories(file.parent_path());
    std::ofstream(file) << std::string(64, 'a') << '\n';
    ::chmod(file.c_str(), 0640);
    const auto readable = seal::grader_key();
    REQUIRE_FALSE(readable.ok());
    CHECK(readable.error().kind == ErrorKind::configuration);
    CHECK(readable.error().file == file.string());
    CHECK(readable.error().remedy.find("chmod 600") != std::string::npos);
    ::chmod(file.c_str(), 0600);
    REQUIRE(seal::existing_key().ok());

    std::ofstream(file) << "short\n";
    CHECK(seal::grader_key().error().message.find("is no key") == 0);
    fs::remove(file);
    fs::create_symlink(place.path / "elsewhere", file);
    CHECK_FALSE(seal::grader_key().ok());
    fs::remove(file);
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    CHECK_FALSE(seal::grader_key().ok());  // and does not wait
    if (::geteuid() == 0) {
        fs::remove(file);
        std::ofstream(file) << std::string(64, 'a') << '\n';
        ::chmod(file.c_str(), 0600);
        REQUIRE(::chown(file.c_str(), 65534, 65534) == 0);
        CHECK(seal::grader_key().error().message.find("belongs to another user") == 0);
    }
}

TEST_CASE("where no key can be kept, this run has one of its own") {
    const Place place;
    ::setenv("XDG_CONFIG_HOME", "/proc/nowhere", 1);
    const auto key = seal::grader_key();
    REQUIRE(key.ok());
    CHECK_FALSE(key->is_kept());
    CHECK(seal::grader_key()->id() == key->id());
    // A place that the user has named is another matter.
    ::setenv("CUGRADE_KEY_FILE", "/proc/nowhere/key", 1);
    CHECK_FALSE(seal::grader_key().ok());
}
