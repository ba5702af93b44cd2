#include "cli/replay_command.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "core/shell.hpp"

namespace cugrade::cli {

Result<ReplayCommand> replay_command(const Report& report) {
    const auto not_replayed = [&](const std::string& why) {
        return Error{.kind = ErrorKind::usage,
                     .message = fmt::format("its command cannot be replayed: {}", why),
                     .key = "replay",
                     .remedy = "was the report changed? `cugrade verify` tells"};
    };
    auto words = shell_words(report.replay);
    if (!words || words->size() < 2 || (*words)[0] != "cugrade" || (*words)[1] != "check")
        return not_replayed("it is not `cugrade check ...`");
    ReplayCommand out;
    CLI::App app;
    app.set_help_flag();
    app.add_option("source", out.source)->required();
    app.add_option("-a,--assignment", out.assignment)->required();
    app.add_option("--task", out.tasks)->take_all();
    app.add_option("--student", out.student);
    app.add_option("--secret-file", out.secret_file);
    app.add_option("--explore", out.explore)->check(CLI::Range(1, 100000));
    app.add_option("--check-bytes", out.check_bytes);
    app.add_option("--backend", out.backend);
    app.add_option("--ptx", out.ptx_arch);
    app.add_flag("--no-timing", out.no_timing);
    std::vector<std::string> arguments(words->rbegin(), words->rend() - 2);  // CLI11 wants it so
    try {
        app.parse(arguments);
    } catch (const CLI::ParseError& error) {
        return not_replayed(error.what());
    }
    if (out.assignment != report.assignment || out.student != report.student)
        return not_replayed("it names another assignment or student than the report");
    return out;
}

}  // namespace cugrade::cli
