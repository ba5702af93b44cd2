// Any bytes from a process that nobody trusts are a message of its protocol or refused, by the
// grader's end of each: what a runner says, an emulator, its counts and findings, a supervisor, an
// enclosure's init, an oracle. Nothing that is stated as a length is taken on trust: the limits on
// memory and time show that. What is accepted and is written again says the same.
#include <cstring>

#include "backend/runner_messages.hpp"
#include "core/printable.hpp"
#include "emulator/client/connection.hpp"
#include "emulator/client/state.hpp"
#include "emulator/counts/json.hpp"
#include "emulator/findings/json.hpp"
#include "input.hpp"
#include "oracle/wire.hpp"
#include "sandbox/job.hpp"
#include "sandbox/process_tree.hpp"

namespace {

using namespace cugrade;

/// The input's first bytes as a record, whatever they are.
template <class T>
T record_of(std::string_view text) {
    T out{};
    std::memcpy(static_cast<void*>(&out), text.data(), std::min(text.size(), sizeof out));
    return out;
}

void read_runner(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    const auto hello = read_hello(bytes);
    fuzz::require_reason(hello);
    if (hello)
        for (std::uint32_t i = 0; i < hello->task_count; ++i) {
            const protocol::Signature& task = hello->tasks[i];
            fuzz::require(task.argument_count <= protocol::max_arguments &&
                          std::strlen(task.task) < sizeof task.task);
            for (const auto& argument : task.arguments)
                fuzz::require(std::strlen(argument) < sizeof argument);
        }
    const auto reply = read_reply(bytes);
    fuzz::require_reason(reply);
    if (!reply) return;
    fuzz::require(reply->values.size() == reply->head.value_count);
    const std::string_view said(reply->head.text);
    fuzz::require(clean(said, sizeof reply->head.text, false) == said);
    // As it would be sent again.
    std::string again(reinterpret_cast<const char*>(&reply->head), sizeof reply->head);
    again.append(reinterpret_cast<const char*>(reply->values.data()), 8 * reply->values.size());
    const auto read_again = read_reply(std::as_bytes(std::span(again)));
    fuzz::require(read_again.ok() && read_again->values == reply->values &&
                  read_again->head.text == said);
}

void read_emulator(std::string_view text) {
    constexpr std::uint64_t most = 1 << 16;
    std::byte room[1000];
    {
        emulator::Connection connection(fuzz::socket_with(text), 1);
        for (;;) {
            const auto answer = connection.ask({}, {}, room, -1);
            fuzz::require(answer.broke != emulator::Connection::Broke::late);
            if (answer.broke) break;
            fuzz::require(answer.refusal.size() <= emulator::protocol::max_text);
        }
    }
    emulator::Connection connection(fuzz::socket_with(text), 1);
    std::string whole;
    const auto answer = connection.ask_all({}, most, whole);
    fuzz::require(whole.size() <= most && answer.broke != emulator::Connection::Broke::late);

    const auto state = emulator::read_state(record_of<emulator::protocol::StateRecord>(text));
    fuzz::require_reason(state);
    if (state && state->fault)
        fuzz::require(state->fault->kind != emulator::FaultKind::none &&
                      state->fault->message.size() <= emulator::protocol::max_text);
}

/// What is read from a text and written gives a text that says the same.
void read_observations(std::string_view text) {
    const auto counts = emulator::counts_from_json(text);
    fuzz::require_reason(counts);
    if (counts) {
        const std::string written = emulator::to_json(*counts);
        const auto again = emulator::counts_from_json(written);
        fuzz::require(again.ok() && emulator::to_json(*again) == written);
    }
    const auto findings = emulator::findings_from_json(text);
    fuzz::require_reason(findings);
    if (findings) {
        const std::string written = emulator::to_json(*findings);
        const auto again = emulator::findings_from_json(written);
        fuzz::require(again.ok() && emulator::to_json(*again) == written);
    }
}

void read_sandbox(std::string_view text) {
    const auto socket = fuzz::socket_with(text);
    sandbox::Job job;
    if (sandbox::receive(socket.get(), job)) {
        const auto program = job.program();
        fuzz::require(program.arguments.size() == job.request.argument_count &&
                      program.environment.size() == job.request.variable_count);
    }
    const auto answer = record_of<sandbox::wire::Answer>(text);
    if (const auto outcome = sandbox::read_outcome(answer))
        fuzz::require(outcome->end <= sandbox::End::not_started &&
                      outcome->message.size() <= sizeof answer.message);

    // A process chooses its name, which stands in the middle of what the kernel tells of it.
    static fuzz::InputFile file;
    const std::string name(
        text.substr(0, std::min<std::size_t>({text.size(), 15, text.find('\0')})));
    const std::string& stat = file.path(
        "12 (" + name +
        ") S 34 12 12 0 -1 4194304 1 0 0 0 700 300 0 0 20 0 5 0 100 4096 7 1 1 1 1 1 1 0 0 0 0 0 0 "
        "0 17 3 0 0 0 0 0\n");
    sandbox::ProcessState state;
    fuzz::require(sandbox::read_state(stat.c_str(), state) && state.parent == 34 &&
                  state.state == 'S' && state.threads == 5 && state.processor == 3);
}

template <class T>
void read_oracle(std::string_view text) {
    constexpr std::uint64_t most = 1 << 16;
    T value;
    try {
        const auto socket = fuzz::socket_with(text);
        oracle::Reader in(socket.get(), most, Clock::now() + std::chrono::seconds(1));
        take(in, value);
    } catch (const oracle::Broken&) {
        return;
    }
    // What was taken can be put, and is then taken again.
    int ends[2];
    fuzz::require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    const process::Descriptor ours(ends[0]), theirs(ends[1]);
    oracle::Writer out(ours.get());
    put(out, value);
    out.flush();
    oracle::Reader in(theirs.get(), most, Clock::now() + std::chrono::seconds(1));
    T again;
    take(in, again);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    read_runner(text);
    read_emulator(text);
    read_observations(text);
    read_sandbox(text);
    read_oracle<std::vector<oracle::Row>>(text);
    read_oracle<oracle::Reply>(text);
    read_oracle<oracle::Request>(text);
    return 0;
}
