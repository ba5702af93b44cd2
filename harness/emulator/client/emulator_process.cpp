// Starts libexec/cugrade/emulator-<isa> with one end of a socket pair and speaks to it in lockstep:
// one request, one reply, each with a deadline. If the process ends, its exit status tells why.
#include "emulator/client/emulator_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "emulator/client/connection.hpp"
#include "emulator/client/state.hpp"
#include "process/process.hpp"
#include "protocol/emulator_protocol.hpp"

namespace cugrade::emulator {
namespace {

namespace fs = std::filesystem;
using process::Descriptor;
using protocol::GraderRequest;

/// Instruction sets that this processor has, best first: the names of -march.
std::vector<std::string> instruction_sets() {
    std::vector<std::string> sets;
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("f16c") &&
                    __builtin_cpu_supports("fma") && __builtin_cpu_supports("lzcnt") &&
                    __builtin_cpu_supports("movbe");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    if (v4) sets.emplace_back("x86-64-v4");
    if (v3) sets.emplace_back("x86-64-v3");
    sets.emplace_back("x86-64");
#endif
    sets.emplace_back("native");
    return sets;
}

Error broken(std::string message) {
    return Error{.message = std::move(message),
                 .remedy = "run it again; if it stays, please report it with the submission"};
}

Result<std::pair<Descriptor, Descriptor>> socket_pair() {
    int fds[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
        return Error{.message = fmt::format("socketpair: {}", std::strerror(errno)),
                     .remedy = "raise the limit on open files (ulimit -n)"};
    const int size = 1 << 20;  // fewer switches between the processes for large buffers
    for (int fd : fds) {
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    }
    return std::pair(Descriptor(fds[0]), Descriptor(fds[1]));
}

/// The most text of observations. Chosen: some ten times what the largest kernels of the course
/// give; as JSON it takes up to twenty times its size in memory.
constexpr std::uint64_t max_observations = std::uint64_t{32} << 20;

/// How long a request may take. A request waits for a launch that its runner has left running; that
/// ends with its budget. The rate is chosen: a fifth and less of what the emulated GPU does with
/// all checkers on one slow core (`cugrade-bench emulator` prints it).
double answer_s(const EmulatorOptions& options) {
    constexpr double slowest_rate = 1e6;  // warp instructions per second
    constexpr double other_work_s = 30;  // chosen: any request without a launch takes less than 1 s
    constexpr double unlimited_s = 3600;  // for a user who wants kernels to have no limit
    if (options.answer_s > 0) return options.answer_s;
    double launch_s = options.warp_instruction_budget > 0
                          ? static_cast<double>(options.warp_instruction_budget) / slowest_rate
                          : unlimited_s;
    if (options.wall_s > 0) launch_s = std::min(launch_s, options.wall_s);
    return launch_s + other_work_s;
}

constexpr std::chrono::seconds longest_exit{1};

/// The emulator's process, in an enclosure or not.
class Started {
public:
    virtual ~Started() = default;  ///< ends it
    /// Begins to end it.
    virtual void kill() = 0;
    /// `is_ending`: it has closed its connection, so that its own end says why.
    virtual process::Ended end(bool is_ending) = 0;
    [[nodiscard]] virtual int pid() const = 0;
};

class Plain final : public Started {
public:
    explicit Plain(process::Child child) : child_(std::move(child)) {}
    void kill() override { child_.kill(); }
    process::Ended end(bool is_ending) override {
        if (is_ending) (void)child_.wait_for(longest_exit);
        child_.kill();  // a closed connection and a live process is a fault, too
        return child_.wait();
    }
    int pid() const override { return child_.pid(); }

private:
    process::Child child_;
};

class Enclosed final : public Started {
public:
    explicit Enclosed(std::unique_ptr<sandbox::Process> process) : process_(std::move(process)) {}
    void kill() override { process_->kill(); }
    process::Ended end(bool is_ending) override {
        const auto start = std::chrono::steady_clock::now();
        while (is_ending && process_->running() &&
               std::chrono::steady_clock::now() - start < longest_exit)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        process_->kill();
        const sandbox::Outcome outcome = process_->wait();
        return {.exit_code = outcome.exit_code,
                .signal = outcome.end == sandbox::End::killed ? SIGKILL : outcome.signal};
    }
    int pid() const override { return -1; }

private:
    std::unique_ptr<sandbox::Process> process_;
};

class Process final : public EmulatorProcess {
public:
    Process(std::unique_ptr<Started> started, Descriptor socket, const EmulatorOptions& options)
        : started_(std::move(started)),
          connection_(std::move(socket), answer_s(options)),
          options_(options) {}

    Status configure() {
        protocol::ConfigureRecord c;
        const MachineConfig& m = options_.machine;
        c.device.arch = static_cast<std::uint32_t>(m.arch);
        c.device.memory_bytes = m.memory_bytes;
        c.device.multiprocessors = m.multiprocessors;
        c.device.resident_blocks = m.resident_blocks;
        c.device.max_shared_per_block = m.max_shared_per_block;
        c.device.max_shared_per_block_optin = m.max_shared_per_block_optin;
        c.warp_instruction_budget = options_.warp_instruction_budget;
        c.process_bytes = options_.memory_bytes;
        c.wall_s = options_.wall_s;
        c.host_threads = m.host_threads;
        // Tests compare. No option, because it is of no use to anybody else.
        const char* plain_decoding = std::getenv("CUGRADE_EMULATOR_PLAIN");
        c.optimise = m.optimise && (plain_decoding == nullptr || *plain_decoding == '\0') ? 1 : 0;
        return plain(ask(GraderRequest::configure, {}, std::as_bytes(std::span(&c, 1))));
    }

    Result<int> connect_runner() override {
        auto pair = socket_pair();
        if (!pair) return pair.error();
        auto answer = ask(GraderRequest::connect_runner, {}, {}, pair->first.get());
        if (!answer) return answer.error();
        return pair->second.release();
    }

    Status serve_runner(bool serve) override {
        return plain(ask(GraderRequest::serve_runner, {.value = serve ? 1u : 0u}));
    }

    Result<std::uint64_t> allocate(const std::string& name, std::uint64_t bytes) override {
        auto answer = ask(GraderRequest::allocate, {.bytes = bytes},
                          std::as_bytes(std::span(name.data(), std::min(name.size(), max_name))));
        if (!answer) return answer.error();
        return answer->value;
    }
    Status free(std::uint64_t address) override {
        return plain(ask(GraderRequest::release, {.address = address}));
    }

    Status write(std::uint64_t address, std::span<const std::byte> from) override {
        if (auto s = check(address, from.size()); !s) return s.error();
        for (std::size_t at = 0; at < from.size(); at += protocol::max_piece) {
            const auto piece =
                from.subspan(at, std::min<std::size_t>(protocol::max_piece, from.size() - at));
            auto s = plain(ask(GraderRequest::write, {.address = address + at}, piece));
            if (!s) return s.error();
        }
        return Done{};
    }
    Status read(std::uint64_t address, std::span<std::byte> to) override {
        if (auto s = check(address, to.size()); !s) return s.error();
        for (std::size_t at = 0; at < to.size(); at += protocol::max_piece) {
            const auto piece =
                to.subspan(at, std::min<std::size_t>(protocol::max_piece, to.size() - at));
            into_ = piece;
            auto answer =
                ask(GraderRequest::read, {.address = address + at, .bytes = piece.size()});
            if (!answer) return answer.error();
            if (answer->payload != piece.size())
                return broken("the emulator sent another size than asked");
        }
        return Done{};
    }

    Status set_seed(std::uint64_t seed) override {
        return plain(ask(GraderRequest::set_seed, {.value = seed}));
    }

    Result<State> state() override {
        protocol::StateRecord r;
        into_ = std::as_writable_bytes(std::span(&r, 1));
        auto answer = ask(GraderRequest::state);
        if (!answer) return answer.error();
        if (answer->payload != sizeof r) return broken("the emulator is of another version");
        return read_state(r);
    }

    Status admit(std::span<const std::byte> containers) override {
        return in_pieces(GraderRequest::admit, {}, containers);
    }
    Status substitute(std::size_t container, std::string_view ptx) override {
        return in_pieces(GraderRequest::substitute, {.value = container},
                         std::as_bytes(std::span(ptx)));
    }

    Status observe(std::uint64_t what) override {
        return plain(ask(GraderRequest::observe, {.value = what}));
    }

    Result<std::string> observations(std::uint64_t what) override {
        return text(GraderRequest::observations, {.value = what});
    }

    Status intervene(std::string_view json) override {
        return plain(ask(GraderRequest::intervene, {}, std::as_bytes(std::span(json))));
    }
    Status change(std::string_view json, std::uint64_t warp_instruction_budget) override {
        set_budget(warp_instruction_budget);
        return plain(ask(GraderRequest::change, {.value = warp_instruction_budget},
                         std::as_bytes(std::span(json))));
    }
    Result<std::string> possible_interventions() override {
        return text(GraderRequest::interventions, {});
    }

    void answer_within(double seconds) override { connection_.set_answer_s(seconds); }
    Status reset() override { return reset(options_.warp_instruction_budget); }
    Status reset(std::uint64_t warp_instruction_budget) override {
        set_budget(warp_instruction_budget);
        return plain(ask(GraderRequest::reset, {.value = warp_instruction_budget}));
    }
    bool is_out_of_memory() const override { return is_out_of_memory_; }
    [[nodiscard]] int pid() const override { return started_->pid(); }
    void kill() override { started_->kill(); }

private:
    static constexpr std::size_t max_name = 256;

    Status in_pieces(GraderRequest kind, const protocol::Request& request,
                     std::span<const std::byte> all) {
        std::size_t at = 0;
        do {  // nothing at all is a piece, too
            const auto piece =
                all.subspan(at, std::min<std::size_t>(protocol::max_piece, all.size() - at));
            if (auto s = plain(ask(kind, request, piece)); !s) return s;
            at += piece.size();
        } while (at < all.size());
        return Done{};
    }

    void set_budget(std::uint64_t warp_instructions) {
        options_.warp_instruction_budget = warp_instructions;
        connection_.set_answer_s(answer_s(options_));
    }

    Status check(std::uint64_t address, std::uint64_t bytes) {
        if (bytes <= protocol::max_piece) return Done{};  // the one piece is checked as a whole
        return plain(ask(GraderRequest::check, {.address = address, .bytes = bytes}));
    }

    /// A text that comes in pieces.
    Result<std::string> text(GraderRequest kind, protocol::Request request) {
        request.kind = static_cast<std::uint32_t>(kind);
        std::string text;
        const Connection::Answer answer = connection_.ask_all(request, max_observations, text);
        if (answer.broke || answer.reply.error != 0) return why(answer);
        return text;
    }

    static Status plain(Result<protocol::Reply> answer) {
        if (!answer) return answer.error();
        return Done{};
    }

    /// Sends one request and receives its reply. The reply's payload goes to `into_`, which is then
    /// reset.
    Result<protocol::Reply> ask(GraderRequest kind, protocol::Request request = {},
                                std::span<const std::byte> payload = {}, int descriptor = -1) {
        request.kind = static_cast<std::uint32_t>(kind);
        const Connection::Answer answer =
            connection_.ask(request, payload, std::exchange(into_, {}), descriptor);
        if (answer.broke || answer.reply.error != 0) return why(answer);
        return answer.reply;
    }

    /// Why there is no answer.
    Error why(const Connection::Answer& answer) {
        using Broke = Connection::Broke;
        if (!answer.broke) return broken("the emulator refused: " + answer.refusal);
        switch (*answer.broke) {
            case Broke::closed: return ended();
            case Broke::late: return late();
            case Broke::other_version: return broken("the emulator is of another version");
            case Broke::too_much: break;
        }
        (void)started_->end(false);
        return broken("the emulator sent more than was asked for, or than is taken");
    }

    /// It is of no more use: what it answers later would be taken for the next answer.
    Error late() {
        (void)started_->end(false);
        return broken(
            fmt::format("the emulator did not answer within {:g} s: it was stopped, or hangs",
                        connection_.answer_s()));
    }

    /// The connection has ended: says why.
    Error ended() {
        const process::Ended how = started_->end(true);
        if (how.signal != 0)
            return broken(fmt::format("the emulator was ended by signal {}", how.signal));
        if (how.exit_code == protocol::exit_wall_limit)
            return broken(fmt::format("the emulator was stopped after {} s", options_.wall_s));
        is_out_of_memory_ = how.signal == 0 && how.exit_code == protocol::exit_memory_limit;
        if (is_out_of_memory_)
            return broken(fmt::format("the emulator used more than its {} bytes of memory",
                                      options_.memory_bytes));
        return broken(fmt::format("the emulator ended with status {}", how.exit_code));
    }

    std::unique_ptr<Started> started_;
    Connection connection_;
    EmulatorOptions options_;
    std::span<std::byte> into_;
    bool is_out_of_memory_ = false;
};

Error cannot_start(const fs::path& program, const std::string& why) {
    return Error{.message = fmt::format("cannot be started: {}", why),
                 .file = program.string(),
                 .remedy = "check the limits on processes and memory (ulimit -a)"};
}

/// `socket`: its end of the connection.
Result<std::unique_ptr<Started>> start_program(const fs::path& program, int socket,
                                               const EmulatorOptions& options) {
    constexpr int inherited = 3;
    const std::vector<std::string> arguments{program.string(), "--connection",
                                             std::to_string(inherited)};
    std::map<std::string, std::string> environment;
    if (const char* libraries = std::getenv("LD_LIBRARY_PATH"))
        environment["LD_LIBRARY_PATH"] = libraries;
    if (options.keeper == nullptr) {
        std::vector<std::string> variables;
        for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
        process::Failure why;
        auto child = process::start({.path = program.string(),
                                     .arguments = arguments,
                                     .environment = variables,
                                     .descriptors = {{socket, inherited}},
                                     .group = process::Group::own},
                                    why);
        if (!child) return cannot_start(program, why.text());
        return std::unique_ptr<Started>(std::make_unique<Plain>(*std::move(child)));
    }
    const Descriptor file(open(program.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.is_open()) return cannot_start(program, std::strerror(errno));
    auto process = options.keeper->start(
        view_of_emulator(),
        {.argv = arguments,
         .environment = environment,
         .fds = {{socket, inherited}},
         .program = file.get()},
        // It watches its own limits. These would charge a submission for what it was not told of.
        {.wall_s = 0, .cpu_s = 0, .processes = 0, .file_bytes = 0});
    if (!process) return process.error();
    return std::unique_ptr<Started>(std::make_unique<Enclosed>(*std::move(process)));
}

}  // namespace

sandbox::View view_of_emulator() {
    sandbox::View view{.calls = sandbox::Calls::emulator};
    show_libraries(view);
    show_library_path(view);
    view.has_proc = true;  // it looks up how much memory it has
    return view;
}

Result<fs::path> EmulatorProcess::program(const fs::path& libexec) {
    for (const std::string& set : instruction_sets()) {
        const fs::path candidate = libexec / ("emulator-" + set);
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return Error{.message = "there is no emulator program that this processor can run",
                 .file = libexec.string(),
                 .remedy = "build cugrade on this machine, or set CUGRADE_HOME to its prefix"};
}

Result<std::unique_ptr<EmulatorProcess>> EmulatorProcess::start(const EmulatorOptions& options) {
    auto path = program(options.libexec);
    if (!path) return path.error();
    auto pair = socket_pair();
    if (!pair) return pair.error();

    auto started = start_program(*path, pair->second.get(), options);
    if (!started) return started.error();
    pair->second.close();
    auto process = std::make_unique<Process>(*std::move(started), std::move(pair->first), options);
    if (auto status = process->configure(); !status) return status.error();
    return std::unique_ptr<EmulatorProcess>(std::move(process));
}

}  // namespace cugrade::emulator
