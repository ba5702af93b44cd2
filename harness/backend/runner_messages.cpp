#include "backend/runner_messages.hpp"

#include <cstring>
#include <string>

#include "core/printable.hpp"

namespace cugrade {
namespace {

Error broken(const char* rule) { return Error{.message = rule}; }

Status check_header(std::span<const std::byte> message) {
    protocol::Header header;
    if (message.size() < sizeof header) return broken("short message");
    std::memcpy(&header, message.data(), sizeof header);
    if (header.magic != protocol::magic || header.bytes != message.size())
        return broken("bad header");
    return Done{};
}

protocol::Kind kind_of(std::span<const std::byte> message) {
    protocol::Header header;
    std::memcpy(&header, message.data(), sizeof header);
    return header.kind;
}

}  // namespace

Result<protocol::Hello> read_hello(std::span<const std::byte> message) {
    if (const Status status = check_header(message); !status) return status.error();
    protocol::Hello hello;
    if (kind_of(message) != protocol::Kind::hello || message.size() != sizeof hello)
        return broken("no greeting");
    std::memcpy(&hello, message.data(), sizeof hello);
    if (hello.task_count > protocol::max_tasks) return broken("too many tasks");
    for (auto& task : hello.tasks) {
        if (task.argument_count > protocol::max_arguments) return broken("too many parameters");
        task.task[sizeof task.task - 1] = '\0';
        for (auto& argument : task.arguments) argument[sizeof argument - 1] = '\0';
    }
    return hello;
}

Result<RunnerReply> read_reply(std::span<const std::byte> message) {
    if (const Status status = check_header(message); !status) return status.error();
    RunnerReply out;
    protocol::Reply& head = out.head;
    if (kind_of(message) != protocol::Kind::reply || message.size() < sizeof head)
        return broken("no reply");
    std::memcpy(&head, message.data(), sizeof head);
    if (head.status > protocol::CallStatus::bad_request) return broken("unknown status");
    const auto values = message.subspan(sizeof head);
    if (values.size() != head.value_count * sizeof(std::uint64_t)) return broken("bad length");
    out.values.resize(head.value_count);
    if (!values.empty()) std::memcpy(out.values.data(), values.data(), values.size());
    head.text[sizeof head.text - 1] = '\0';
    // What says that a text was cut, and what replaces bytes that are not UTF-8, needs room too.
    constexpr std::size_t room = sizeof head.text - 1;
    const std::string text = clean(head.text, room / 2, false).substr(0, room);
    std::memcpy(head.text, text.c_str(), text.size() + 1);
    return out;
}

}  // namespace cugrade
