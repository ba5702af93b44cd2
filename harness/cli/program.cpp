// The commands, and the one place where exceptions end.
#include "cli/program.hpp"

#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "cli/choices.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/secret.hpp"
#include "core/printable.hpp"

using namespace cugrade;
using namespace cugrade::cli;

namespace {

constexpr std::size_t most_of_an_error = 64 << 10;  // chosen: a compiler's messages fit

/// Opens the standard streams that the caller has closed. Otherwise a file that is opened later
/// would get such a number: our output would go into it, and pipes to compilers would lose their
/// ends.
void fill_standard_streams() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF)  // the lowest number that is free: this one
            (void)::open("/dev/null", fd == STDIN_FILENO ? O_RDONLY : O_WRONLY);
}

/// An error may name a file of a submission.
void say_error(std::string_view text) {
    std::string shown = clean(text, most_of_an_error, true);
    if (shown.ends_with('\n')) shown.pop_back();
    fmt::print(stderr, "cugrade: {}\n", shown);
}

}  // namespace

int cugrade::cli::run(int argc, char** argv, const char* described_version) {
    // The programs of a submission may run as the same user. They must not read this process's
    // memory, and with it the course's secret, through /proc. First of all, because its
    // environment can be read until then.
    ::prctl(PR_SET_DUMPABLE, 0);
    take_secret_from_environment();
    fill_standard_streams();
    ::umask(::umask(0) & ~mode_t{0700});  // we must be able to use the files that we make
    CLI::App app{"cugrade grades CUDA course work, on a GPU or without one."};
    app.set_version_flag("--version", fmt::format("cugrade {}", described_version));
    app.require_subcommand(1);
    app.footer(
        "Exit codes: 0 graded; 1 the command line or a configuration file is wrong;\n"
        "2 cugrade or the machine failed, no score is written; 3 below --fail-under, or a report "
        "that does not hold.\n"
        "`cugrade <subcommand> --help` shows an example.");
    int exit_code = exit_graded;
    for (const auto add : {add_check,    add_batch,   add_class,   add_rescore,    add_compare,
                           add_override, add_list,    add_data,    add_doctor,     add_explain,
                           add_export,   add_profile, add_release, add_roofline,   add_run,
                           add_sweep,    add_secret,  add_verify,  add_completion, add_manual})
        add(app, exit_code);
    add_batch_worker(app);
    try {
        const std::string_view first = argc > 1 ? argv[1] : "";
        std::vector<std::string> names;
        for (const CLI::App* command : app.get_subcommands({}))
            if (!command->get_group().empty() || command->get_name() == first)
                names.push_back(command->get_name());
        if (!first.empty() && !first.starts_with('-') &&
            std::ranges::find(names, first) == names.end())
            throw Failure(unknown("command", first, names));
        app.parse(keep_program_arguments(argc, argv), argv);
        return exit_code;
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? exit_graded : exit_usage;
    } catch (const Failure& failure) {
        say_error(failure.what());
        const ErrorKind kind = failure.error().kind;
        return kind == ErrorKind::usage || kind == ErrorKind::configuration ? exit_usage
                                                                            : exit_harness;
    } catch (const std::exception& error) {
        say_error(error.what());
        return exit_harness;
    }
}
