#include "core/home.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

#include "core/files.hpp"

namespace cugrade {

namespace fs = std::filesystem;

Result<Home> Home::find() {
    fs::path prefix;
    const char* variable = std::getenv("CUGRADE_HOME");
    if (variable != nullptr && *variable != '\0') {
        prefix = fs::absolute(variable);  // compilers run in other folders
    } else {
        std::error_code error;
        const fs::path self = fs::read_symlink("/proc/self/exe", error);
        if (error)
            return Error{.message = "cannot find the running program: " + error.message(),
                         .remedy = "set CUGRADE_HOME to the prefix that cugrade is installed in"};
        prefix = self.parent_path().parent_path();
    }
    Home home{.libexec = prefix / "libexec/cugrade",
              .lib = prefix / "lib/cugrade",
              .share = prefix / "share/cugrade",
              .include = prefix / "include"};
    std::error_code error;
    if (!fs::is_directory(home.share / "assignments", error))
        return Error{.message = fmt::format("no cugrade installation at {}", prefix.string()),
                     .file = (home.share / "assignments").string(),
                     .remedy =
                         "set CUGRADE_HOME to the prefix that cugrade is installed in, "
                         "or build it with `make build`"};
    return home;
}

namespace {

fs::path named_cache_folder() {
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
        return fs::path(cache) / "cugrade";
    if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
        return fs::path(home) / ".cache/cugrade";
    const auto temporary = temporary_folder();
    return (temporary ? *temporary : fs::path("/tmp")) / fmt::format("cugrade-{}", getuid());
}

}  // namespace

fs::path cache_folder() {
    return fs::absolute(named_cache_folder());  // programs started from there run in another folder
}

}  // namespace cugrade
