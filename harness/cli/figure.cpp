#include "cli/figure.hpp"

#include <cstdlib>

#include <unistd.h>

#include <fmt/format.h>

#include "cli/failure.hpp"
#include "core/shell.hpp"
#include "sandbox/sandbox.hpp"

namespace cugrade::cli {

namespace fs = std::filesystem;

void add_figure(CLI::App& app, std::string& kind) {
    app.add_option("--figure", kind, "svg or png")
        ->check(CLI::IsMember({"svg", "png"}))
        ->capture_default_str();
}

void refuse_other_ptx(const GradingChoices& choices) {
    if (choices.ptx_arch == 75) return;
    throw Failure(Error{.kind = ErrorKind::usage,
                        .message = "times are modelled from PTX for compute_75",
                        .key = "--ptx",
                        .remedy = "leave it out"});
}

Result<std::string> draw(const Home& home, const fs::path& script, const std::string& figure) {
    const char* path = std::getenv("PATH");
    const std::string gnuplot =
        sandbox::find_program("gnuplot", path != nullptr ? path : "/usr/bin:/bin");
    const fs::path folder = fs::absolute(script).parent_path();
    const std::string by_hand = fmt::format("cd {} && gnuplot {}", shell_word(folder.string()),
                                            shell_word(script.filename().string()));
    if (gnuplot.find('/') == std::string::npos || ::access(gnuplot.c_str(), X_OK) != 0)
        return fmt::format(
            "No figure: there is no gnuplot on the PATH. Install the package gnuplot-nox, and run\n"
            "  {}\n",
            by_hand);
    auto outcome = sandbox::run(
        home.libexec / "supervisor",
        {.argv = {gnuplot, script.filename().string()},
         .directory = folder,
         .environment = {{"PATH", path != nullptr ? path : ""}, {"LC_ALL", "C.UTF-8"}}},
        {.wall_s = 120, .cpu_s = 60});
    if (!outcome) return outcome.error();
    if (outcome->end != sandbox::End::exited || outcome->exit_code != 0)
        return Error{.message = fmt::format("gnuplot draws no figure: {}{}", outcome->message,
                                            outcome->output),
                     .file = script.string(),
                     .remedy = by_hand};
    return fmt::format("Figure: {}\n", (script.parent_path() / figure).string());
}

}  // namespace cugrade::cli
