#include "oracle/oracles.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "core/home.hpp"
#include "oracle/wire.hpp"
#include "process/process.hpp"

namespace cugrade::oracle {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largest_hello = 16 << 20;
constexpr double hello_s = 60;
constexpr std::size_t most_said = 500;

Error cannot_start(const fs::path& program, std::string why) {
    return Error{.message = "the process of the oracles cannot be started: " + std::move(why),
                 .file = program.string(),
                 .remedy =
                     "see whether the file is there and can be run, and check the limits on "
                     "processes and memory (ulimit -a)"};
}

std::uint64_t bytes_of(const Arrays& arrays) {
    std::uint64_t out = 0;
    for (const auto& [name, array] : arrays) out += array.bytes.size();
    return out;
}

/// How the answer contradicts itself or the case; empty if it does not.
std::string contradiction(const CaseData& data, bool verifies, const std::vector<Expected>& all) {
    for (const Expected& answer : all) {
        const auto argument =
            std::ranges::find(data.task->arguments, answer.argument, &ArgumentSpec::name);
        if (argument == data.task->arguments.end() ||
            (argument->role != Role::output && argument->role != Role::inout))
            return fmt::format("answers `{}`, which is no output of the task", answer.argument);
        if (std::ranges::count(all, answer.argument, &Expected::argument) > 1)
            return fmt::format("answers `{}` twice", answer.argument);
        const Array& like = data[answer.argument];
        if (answer.value.dtype != like.dtype || answer.value.bytes.size() != like.bytes.size())
            return fmt::format("answers `{}` with another type or size than the output's",
                               answer.argument);
        const auto& bound = answer.bound;
        if (!bound.empty() && !is_float(like.dtype))
            return fmt::format("gives bounds for `{}`, which holds integers", answer.argument);
        if (bound.size() > 1 && bound.size() != like.size())
            return fmt::format("gives {} bounds for the {} elements of `{}`", bound.size(),
                               like.size(), answer.argument);
        if (std::ranges::any_of(bound, [](double b) { return !std::isfinite(b) || b < 0; }))
            return fmt::format("gives a bound for `{}` that is no finite number from 0 on",
                               answer.argument);
    }
    for (const ArgumentSpec& argument : data.task->arguments)
        if (!verifies && (argument.role == Role::output || argument.role == Role::inout) &&
            std::ranges::find(all, argument.name, &Expected::argument) == all.end())
            return fmt::format("does not answer the output `{}`", argument.name);
    return "";
}

/// The text without line ends and control characters, for a message of one line.
std::string one_line(std::string text) {
    if (text.size() > most_said) text = "..." + text.substr(text.size() - most_said);
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

}  // namespace

/// One process. Used by one thread at a time.
class Oracles::Worker {
public:
    Worker(process::Child child, process::Descriptor socket, process::Descriptor said)
        : child_(std::move(child)), socket_(std::move(socket)), said_(std::move(said)) {}
    Worker(const Worker&) = delete;

    static Result<WorkerPtr> start(const fs::path& program) {
        int pair[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
            return cannot_start(program, std::strerror(errno));
        process::Descriptor ours(pair[0]), theirs(pair[1]);
        process::Descriptor said = process::memory_file("cugrade-oracles");
        if (!said.is_open()) return cannot_start(program, std::strerror(errno));
        ::fcntl(said.get(), F_SETFL, O_APPEND);
        process::Failure why;
        // Of its own group: a Ctrl-C lets a batch finish what it is grading.
        auto child = process::start({.path = program.string(),
                                     .arguments = {program.string()},
                                     .environment = process::own_environment(),
                                     .output = said.get(),
                                     .errors = said.get(),
                                     .descriptors = {{theirs.get(), connection}},
                                     .group = process::Group::own},
                                    why);
        if (!child) return cannot_start(program, why.text());
        theirs.close();
        auto out = std::make_unique<Worker>(*std::move(child), std::move(ours), std::move(said));
        try {
            Reader in(out->socket_.get(), largest_hello, after(hello_s));
            take(in, out->rows_);
        } catch (const Late&) {
            return cannot_start(program, fmt::format("it says nothing within {:g} s", hello_s));
        } catch (const Broken&) {
            return cannot_start(program, "it " + out->how_it_ended());
        }
        return out;
    }

    [[nodiscard]] const Row* find(std::string_view assignment, std::string_view task) const {
        const auto row = std::ranges::find_if(
            rows_, [&](const Row& r) { return r.assignment == assignment && r.task == task; });
        return row == rows_.end() ? nullptr : &*row;
    }

    /// After an Error this process is of no more use.
    Result<Reply> ask(Question question, std::string_view assignment, const CaseData& data,
                      const Arrays& outputs, const Limits& limits) {
        const std::uint64_t bytes = bytes_of(data.buffers) + bytes_of(outputs);
        const double wall_s =
            limits.wall_s + limits.wall_s_per_mib * static_cast<double>(bytes) / (1 << 20);
        Request request{.question = question,
                        .memory_bytes = limits.memory_bytes + limits.memory_per_byte * bytes,
                        .assignment = std::string(assignment),
                        .task = {.name = data.task->name,
                                 .title = data.task->title,
                                 .function = data.task->function,
                                 .arguments = data.task->arguments,
                                 .moves = data.task->moves,
                                 .dynamic_parallelism = data.task->dynamic_parallelism},
                        .spec = *data.spec,
                        .seed = data.seed};
        (void)!::ftruncate(said_.get(), 0);  // in memory: cannot fail
        Reply reply;
        const Deadline deadline = after(wall_s);
        try {
            Writer out(socket_.get(), deadline);
            put(out, request);
            put(out, data.buffers);
            put(out, outputs);
            out.flush();
            // The values, a bound for each element of one byte, and some text.
            Reader in(socket_.get(), 16 * bytes_of(data.buffers) + (1 << 20), deadline);
            take(in, reply);
        } catch (const Late&) {
            return wrong(fmt::format("does not come back within {:.0f} s", wall_s));
        } catch (const Broken&) {
            return wrong(how_it_ended());
        }
        if (reply.thrown) return wrong("throws: " + one_line(*reply.thrown));
        return reply;
    }

private:
    static Error wrong(std::string what) {
        return {.kind = ErrorKind::configuration, .message = std::move(what)};
    }

    static Deadline after(double seconds) {
        return Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(std::min(seconds, 1e6)));
    }

    /// "crashes: Segmentation fault (signal 11)", with what it wrote last. It has closed the
    /// connection, so it ends by itself, soon or at once.
    std::string how_it_ended() {
        std::string out = "sends what is no answer";
        const auto how = child_.wait_for(std::chrono::seconds(5));
        if (!how)
            child_.kill();
        else if (how->signal != 0)
            out = fmt::format("crashes: {} (signal {})", ::strsignal(how->signal), how->signal);
        else
            out = fmt::format("ends its process with exit code {}", how->exit_code);
        std::string text = process::text_of(said_);
        text = one_line(std::move(text));
        return text.empty() ? out : fmt::format("{}, and says: {}", out, text);
    }

    process::Child child_;
    process::Descriptor socket_;
    process::Descriptor said_;  ///< a file in memory that holds what it printed
    std::vector<Row> rows_;
};

Oracles::Oracles(fs::path program, Limits limits) : program_(std::move(program)), limits_(limits) {}

Oracles::~Oracles() = default;

Result<Oracles*> Oracles::here() {
    static const Result<Home> home = Home::find();
    if (!home) return home.error();
    static Oracles oracles(home->libexec / "oracles");
    return &oracles;
}

Result<Oracles::WorkerPtr> Oracles::idle_or_new() {
    {
        const std::lock_guard lock(mutex_);
        if (!idle_.empty()) {
            WorkerPtr out = std::move(idle_.back());
            idle_.pop_back();
            return out;
        }
    }
    return Worker::start(program_);
}

Result<std::optional<bool>> Oracles::verifies(std::string_view assignment, std::string_view task) {
    auto worker = idle_or_new();
    if (!worker) return worker.error();
    const Row* row = (*worker)->find(assignment, task);
    std::optional<bool> out;
    if (row != nullptr) out = row->verifies;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(*worker));
    return out;
}

Result<std::vector<Expected>> Oracles::expected(std::string_view assignment, const CaseData& data) {
    auto worker = idle_or_new();
    if (!worker) return worker.error();
    const Row* row = (*worker)->find(assignment, data.task->name);
    if (row == nullptr) return Error{.kind = ErrorKind::configuration, .message = "is missing"};
    auto reply = (*worker)->ask(Question::expected, assignment, data, {}, limits_);
    if (!reply) return reply.error();
    if (std::string why = contradiction(data, row->verifies, reply->expected); !why.empty())
        return Error{.kind = ErrorKind::configuration, .message = std::move(why)};
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(*worker));
    return std::move(reply->expected);
}

Result<std::optional<std::string>> Oracles::verify(std::string_view assignment,
                                                   const CaseData& data, const Arrays& outputs) {
    auto worker = idle_or_new();
    if (!worker) return worker.error();
    auto reply = (*worker)->ask(Question::verify, assignment, data, outputs, limits_);
    if (!reply) return reply.error();
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(*worker));
    return std::move(reply->wrong);
}

}  // namespace cugrade::oracle
