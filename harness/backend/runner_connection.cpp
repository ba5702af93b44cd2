// Everything that comes out of the socket is a claim of untrusted code (runner_messages.hpp), and a
// runner that breaks the protocol is `tampering`, never a fault of ours.
#include "backend/runner_connection.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/runner_messages.hpp"
#include "core/clock.hpp"
#include "core/files.hpp"
#include "core/printable.hpp"
#include "process/descriptor.hpp"
#include "protocol/descriptors.hpp"

namespace cugrade {
namespace {

/// For timed rounds: a late wake does not matter in longer ones.
constexpr double longest_spin_s = 0.5;
/// However short the limit of a call, making a context on a busy machine with several GPUs may take
/// this long.
constexpr double least_context_s = 30;

/// The last line that the submission printed: often the reason of a crash.
std::string last_line(const std::string& output) {
    std::string_view text = output;
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
    if (const auto at = text.rfind('\n'); at != std::string_view::npos) text.remove_prefix(at + 1);
    return clean(text, 300, false);
}

/// All that a submission's program needs: shared libraries and, below a GPU's driver, its nodes.
sandbox::View view_of(const SessionOptions& options) {
    sandbox::View view = sandbox::runner_view();
    if (options.device.id.empty()) return view;
    view.calls = sandbox::Calls::gpu_runner;
    view.has_proc = true;  // the driver's library reads /proc/driver/nvidia and its own maps
    view.devices = options.device.nodes;
    if (!options.device.libraries.empty()) view.shown.push_back({options.device.libraries});
    std::error_code error;
    for (const char* processors : {"/sys/devices/system/cpu", "/sys/devices/system/node"})
        if (std::filesystem::is_directory(processors, error)) view.shown.push_back({processors});
    return view;
}

Result<std::unique_ptr<sandbox::Process>> start_runner(const SessionOptions& options,
                                                       sandbox::Command& command,
                                                       const sandbox::Limits& limits) {
    if (options.keeper == nullptr)
        return sandbox::start(options.home->libexec / "supervisor", command, limits);
    // The program itself is nowhere in its enclosure.
    const process::Descriptor program(
        open(options.executable.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!program.is_open()) return cannot("open", options.executable, errno);
    command.program = program.get();
    if (!options.device.libraries.empty())
        command.environment["LD_LIBRARY_PATH"] = options.device.libraries.string();
    return options.keeper->start(view_of(options), command, limits);
}

}  // namespace

Result<std::unique_ptr<RunnerConnection>> RunnerConnection::start(
    const SessionOptions& options, const std::vector<ExtraFd>& extra) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return Error{.message = fmt::format("cannot make a socket pair: {}", std::strerror(errno))};
    std::unique_ptr<RunnerConnection> self(new RunnerConnection);
    self->control_ = pair[0];
    self->limits_ = options.limits;
    self->preparing_s_ = options.limits.wall_s;
    if (!options.device.id.empty()) {
        // A runner that waits for the GPU spins, so its CPU time says nothing; the wall clock of
        // each call ends a host loop too.
        self->limits_.cpu_s = 0;
        self->preparing_s_ = std::max(self->preparing_s_, least_context_s);
    }
    for (const int fd : pair) {
        const int size = static_cast<int>(protocol::max_message);
        setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    }

    sandbox::Command command;
    command.argv = {options.executable.string()};
    command.directory = "/";
    command.environment = options.device.environment;  // it sees no other GPU
    command.environment["PATH"] = "/usr/bin:/bin";
    command.environment["LC_ALL"] = "C.UTF-8";
    constexpr int control_fd = 3;
    command.fds.emplace_back(pair[1], control_fd);
    command.environment[protocol::control_fd_variable] = std::to_string(control_fd);
    int next = control_fd + 1;
    for (const auto& [variable, fd] : extra) {
        command.fds.emplace_back(fd, next);
        command.environment[variable] = std::to_string(next++);
    }
    // The wall clock of a call is kept here, around each call; the sandbox's is for the whole life
    // of the runner and only has to end what this process might have lost sight of.
    const sandbox::Limits limits{.wall_s = 3600,
                                 .cpu_s = self->limits_.cpu_s,
                                 .memory_bytes = options.limits.memory_bytes,
                                 .processes = options.limits.processes,
                                 .file_bytes = options.limits.file_bytes,
                                 .output_bytes = options.limits.output_bytes};
    auto process = start_runner(options, command, limits);
    close(pair[1]);
    if (!process) return process.error();
    self->process_ = std::move(*process);
    return self;
}

RunnerConnection::~RunnerConnection() {
    if (control_ >= 0) close(control_);  // a runner that is well ends by itself now
    kill();
}

void RunnerConnection::kill() {
    if (process_) process_->kill();
}

CallOutcome RunnerConnection::why_it_ended(std::optional<double> wall_s) {
    if (wall_s) process_->kill();
    const sandbox::Outcome outcome = process_->wait();
    CallOutcome out;
    const std::string said = last_line(outcome.output);
    if (!said.empty()) out.said = fmt::format("; it printed last: {}", said);
    if (wall_s) {
        out.verdict = Verdict::time_limit;
        out.message = fmt::format("the call did not return within {:g} s", *wall_s);
        return out;
    }
    switch (outcome.end) {
        case sandbox::End::exited:
            out.verdict = Verdict::crash;
            out.message = fmt::format("the program ended itself with exit code {} during the call",
                                      outcome.exit_code);
            out.tells_data = true;
            break;
        case sandbox::End::signalled:
        case sandbox::End::killed:
            out.verdict = Verdict::crash;
            out.message = fmt::format("the host code was ended by signal {} ({})", outcome.signal,
                                      strsignal(outcome.signal));
            out.tells_data = true;
            break;
        case sandbox::End::wall_limit:
        case sandbox::End::cpu_limit:
            out.verdict = Verdict::time_limit;
            out.message =
                fmt::format("the host code used more than {:g} s of CPU time", limits_.cpu_s);
            break;
        case sandbox::End::memory_limit:
            out.verdict = Verdict::memory_limit;
            out.message = fmt::format("the host code used more than {} MiB of memory",
                                      limits_.memory_bytes >> 20);
            break;
        case sandbox::End::process_limit:
            out.verdict = Verdict::forbidden;
            out.message = fmt::format("the host code started more than {} processes or threads",
                                      limits_.processes);
            break;
        case sandbox::End::file_limit:
            out.verdict = Verdict::output_limit;
            out.message = fmt::format("the host code wrote a file of more than {} MiB, or too many",
                                      limits_.file_bytes >> 20);
            break;
        case sandbox::End::output_limit:
            out.verdict = Verdict::output_limit;
            out.message =
                fmt::format("the submission printed more than {} KiB", limits_.output_bytes >> 10);
            break;
        case sandbox::End::not_started:
            out.verdict = Verdict::harness_error;
            out.message = "the runner could not be started: " + outcome.message;
            break;
    }
    return out;
}

Result<RunnerConnection::Answer> RunnerConnection::transact(const void* message, std::size_t bytes,
                                                            double wall_s,
                                                            std::span<const int> descriptors,
                                                            const BeforeGo& before_go) {
    Answer answer;
    note_moves();  // while there is nothing yet to be taken up early
    auto start = Clock::now();
    bool timed_out = false;
    std::vector<std::byte> buffer(protocol::max_message);
    ssize_t got = 0;
    // What waits here already would be taken for the answer to this. The runner never sends it.
    if (message != nullptr && recv(control_, buffer.data(), 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
        kill();
        answer.ended.verdict = Verdict::tampering;
        answer.ended.message = "the program sent an answer before it was asked";
        return answer;
    }
    if (message == nullptr ||
        protocol::send_with(control_, message, bytes, descriptors) == static_cast<ssize_t>(bytes)) {
        // A sleeping process is woken late, by a varying time, so this process spins at first.
        double spinning_s = 0;
        if (paused_) {
            if (before_go)
                if (auto status = before_go(); !status) return status.error();
            start = Clock::now();  // before they go on, so that their first work counts too
            process_->resume();
            paused_ = false;
            spinning_s = longest_spin_s;
        }
        for (;;) {
            const double passed = seconds_since(start);
            const double left = wall_s - passed;
            pollfd waiting{.fd = control_, .events = POLLIN, .revents = 0};
            const int wait_ms = passed < spinning_s ? 0 : static_cast<int>(left * 1000) + 1;
            // After the deadline, too: the answer may be there, and this process have been late.
            const int ready = poll(&waiting, 1, left <= 0 ? 0 : wait_ms);
            if (ready < 0 && errno == EINTR) continue;
            if (ready == 0 && wait_ms == 0 && left > 0) continue;
            if (ready == 0) {
                timed_out = true;
                break;
            }
            got = recv(control_, buffer.data(), buffer.size(), 0);
            if (got < 0 && errno == EINTR) continue;
            break;
        }
    }
    answer.wall_s = seconds_since(start);
    if (got <= 0) {
        answer.ended = why_it_ended(timed_out ? std::optional(wall_s) : std::nullopt);
        return answer;
    }
    const auto received = std::span(buffer).first(static_cast<std::size_t>(got));
    const auto tampered = [&](const Error& error) {
        kill();
        answer.ended.verdict = Verdict::tampering;
        answer.ended.message =
            fmt::format("the runner's answer is not of the protocol ({})", error.message);
        return answer;
    };
    if (!hello_) {
        const auto hello = read_hello(received);
        if (!hello) return tampered(hello.error());
        hello_ = *hello;
    } else {
        auto reply = read_reply(received);
        if (!reply) return tampered(reply.error());
        answer.reply = reply->head;
        answer.values = std::move(reply->values);
    }
    answer.replied = true;
    return answer;
}

Result<RunnerConnection::Answer> RunnerConnection::transact_charged(
    const void* message, std::size_t bytes, double wall_s, std::span<const int> descriptors,
    const BeforeGo& before_go) {
    if (!budget_) return transact(message, bytes, wall_s, descriptors, before_go);
    const double left = budget_->left_s();
    const auto spent = [&](Answer& answer) {
        answer.ended.verdict = Verdict::time_limit;
        answer.ended.message = fmt::format(
            "all calls of this submission together took the {:g} s that they may take "
            "(`total` in grading.yaml), so what was left was not run",
            budget_->limit_s());
        return std::move(answer);
    };
    if (left <= 0) {
        kill();
        Answer answer;
        return spent(answer);
    }
    auto answer = transact(message, bytes, std::min(wall_s, left), descriptors, before_go);
    if (!answer) return answer.error();
    budget_->spend(answer->wall_s);
    const bool cut = !answer->replied && answer->ended.verdict == Verdict::time_limit;
    if (cut && budget_->is_spent()) return spent(*answer);
    return answer;
}

Status RunnerConnection::await_hello() {
    if (hello_ || startup_failure_) return Done{};
    // Static constructors of the submission run before the greeting.
    auto answer = transact_charged(nullptr, 0, preparing_s_);
    if (!answer) return answer.error();
    if (!answer->replied) {
        startup_failure_ = answer->ended;
        startup_failure_->message = "before the first call: " + startup_failure_->message;
    }
    return Done{};
}

const protocol::Signature* RunnerConnection::signature(std::string_view task) const {
    for (std::uint32_t i = 0; i < hello_->task_count; ++i)
        if (task == hello_->tasks[i].task) return &hello_->tasks[i];
    return nullptr;
}

Result<bool> RunnerConnection::has_function(const TaskSpec& task) {
    if (auto status = await_hello(); !status) return status.error();
    if (startup_failure_) return true;  // the call will tell
    const protocol::Signature* found = signature(task.name);
    const auto disagree = [&](const std::string& what) {
        return Error{
            .kind = ErrorKind::configuration,
            .message = fmt::format("task {}: {}", task.name, what),
            .remedy = "make assignment.yaml, interface.cuh and tasks.cpp agree, and rebuild"};
    };
    if (found == nullptr) return disagree("tasks.cpp does not name it");
    if (found->argument_count != task.arguments.size())
        return disagree(fmt::format("{} takes {} parameters, assignment.yaml has {}", task.function,
                                    found->argument_count, task.arguments.size()));
    for (std::size_t i = 0; i < task.arguments.size(); ++i) {
        const ArgumentSpec& argument = task.arguments[i];
        const char* kind = argument.role == Role::scalar  ? "s"
                           : argument.role == Role::input ? "p"
                                                          : "P";
        const std::string wanted = fmt::format("{}{}", kind, name(argument.dtype));
        if (wanted != found->arguments[i])
            return disagree(fmt::format(
                "parameter {} ({}) is {} in assignment.yaml and {} in {}", i + 1, argument.name,
                wanted, clean(found->arguments[i], sizeof found->arguments[i], false),
                task.function));
    }
    return found->defined != 0;
}

Status RunnerConnection::pause() {
    if (auto status = await_hello(); !status) return status.error();
    if (startup_failure_) return Done{};
    paused_ = true;
    return process_->pause();
}

void RunnerConnection::keep_processor_awake() {
    if (paused_) process_->keep_processor_awake();
}

void RunnerConnection::note_moves() {
    moved_ = moved_ || (paused_ && !process_->paused_throughout());
}

bool RunnerConnection::moved() {
    note_moves();
    return std::exchange(moved_, false);
}

Result<RunnerConnection::Answer> RunnerConnection::call(const CallRequest& request,
                                                        const std::vector<std::uint64_t>& values) {
    protocol::Call call;
    call.warmups = request.warmups;
    call.repeats = request.repeats;
    call.timed = request.timed ? protocol::Clocked::each : protocol::Clocked::no;
    return this->call(request.task, values, call, request.wall_s);
}

Result<RunnerConnection::Answer> RunnerConnection::timed_calls(
    std::string_view task, const std::vector<std::uint64_t>& values, std::uint32_t calls,
    double wall_s, const BeforeGo& before_go) {
    protocol::Call call;
    call.repeats = calls;
    call.timed = protocol::Clocked::together;
    return this->call(task, values, call, wall_s, before_go);
}

Result<RunnerConnection::Answer> RunnerConnection::call(std::string_view task,
                                                        const std::vector<std::uint64_t>& values,
                                                        protocol::Call call, double wall_s,
                                                        const BeforeGo& before_go) {
    if (auto status = await_hello(); !status) return status.error();
    if (startup_failure_)
        return Answer{.replied = false, .reply = {}, .values = {}, .ended = *startup_failure_};
    const protocol::Signature* found = signature(task);
    if (found == nullptr) return Error{.message = fmt::format("the runner has no task {}", task)};
    const std::size_t bytes = sizeof call + values.size() * sizeof(std::uint64_t);
    call.header = {.kind = protocol::Kind::call, .bytes = static_cast<std::uint32_t>(bytes)};
    call.task = static_cast<std::uint32_t>(found - hello_->tasks);
    call.argument_count = found->argument_count;
    call.set_count = found->argument_count == 0
                         ? 1
                         : static_cast<std::uint32_t>(values.size() / found->argument_count);
    std::vector<unsigned char> message(bytes);
    std::memcpy(message.data(), &call, sizeof call);
    std::memcpy(message.data() + sizeof call, values.data(), values.size() * sizeof(std::uint64_t));
    return transact_charged(message.data(), bytes, wall_s, {}, before_go);
}

Result<RunnerConnection::Answer> RunnerConnection::attach(const std::vector<Exported>& memories) {
    if (auto status = await_hello(); !status) return status.error();
    if (startup_failure_)
        return Answer{.replied = false, .reply = {}, .values = {}, .ended = *startup_failure_};
    if (memories.size() > protocol::max_descriptors)
        return Error{.message = fmt::format("a case has {} buffers, and at most {} can be passed",
                                            memories.size(), protocol::max_descriptors),
                     .remedy = "give the task fewer buffer arguments"};
    protocol::Attach attach{};
    std::vector<int> descriptors;
    std::vector<std::uint64_t> sizes;
    for (const Exported& memory : memories) {
        descriptors.push_back(memory.fd);
        sizes.push_back(memory.bytes);
    }
    const std::size_t bytes = sizeof attach + sizes.size() * sizeof sizes[0];
    attach.header = {.kind = protocol::Kind::attach, .bytes = static_cast<std::uint32_t>(bytes)};
    attach.count = static_cast<std::uint32_t>(sizes.size());
    std::vector<unsigned char> message(bytes);
    std::memcpy(message.data(), &attach, sizeof attach);
    if (!sizes.empty())
        std::memcpy(message.data() + sizeof attach, sizes.data(), sizes.size() * sizeof sizes[0]);
    return transact_charged(message.data(), bytes, preparing_s_, descriptors);
}

}  // namespace cugrade
