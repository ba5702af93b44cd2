#include "core/home.hpp"

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "catch.hpp"

using namespace cugrade;
namespace fs = std::filesystem;

namespace {

/// Sets an environment variable for the time of a scope; nothing: unsets it.
class Variable {
public:
    Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old;
        set(value);
    }
    ~Variable() { set(old_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    void set(const std::optional<std::string>& value) {
        if (value)
            setenv(name_, value->c_str(), 1);
        else
            unsetenv(name_);
    }
    const char* name_;
    std::optional<std::string> old_;
};

}  // namespace

TEST_CASE("CUGRADE_HOME decides where the files are, and must hold them") {
    auto name = (fs::temp_directory_path() / "cugrade-home-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    const fs::path prefix = name;
    const Variable variable("CUGRADE_HOME", prefix.string());

    const auto missing = Home::find();
    REQUIRE_FALSE(missing);
    CHECK(missing.error().remedy.find("CUGRADE_HOME") != std::string::npos);

    fs::create_directories(prefix / "share/cugrade/assignments");
    const auto home = Home::find();
    REQUIRE(home);
    CHECK(home->share == prefix / "share/cugrade");
    CHECK(home->libexec == prefix / "libexec/cugrade");
    CHECK(home->lib == prefix / "lib/cugrade");
    fs::remove_all(prefix);
}

TEST_CASE("the cache follows XDG_CACHE_HOME, else HOME") {
    const Variable home("HOME", "/home/someone");
    {
        const Variable cache("XDG_CACHE_HOME", "/var/tmp/cache");
        CHECK(cache_folder() == "/var/tmp/cache/cugrade");
    }
    const Variable cache("XDG_CACHE_HOME", std::nullopt);
    CHECK(cache_folder() == "/home/someone/.cache/cugrade");
    const Variable none("HOME", std::nullopt);
    CHECK(cache_folder().is_absolute());
}
