// What runners say, right and forged: no submission needs to be built for that.
#include "backend/runner_messages.hpp"

#include <cstring>
#include <string>

#include "catch.hpp"

using namespace cugrade;

namespace {

template <class Head>
std::string message(protocol::Kind kind, Head head, const std::string& rest = "") {
    head.header = {.kind = kind, .bytes = static_cast<std::uint32_t>(sizeof head + rest.size())};
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) + rest;
}

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string refusal(const auto& result) { return result.ok() ? "" : result.error().message; }

}  // namespace

TEST_CASE("a greeting names tasks, and its counts are within the message") {
    protocol::Hello hello;
    hello.task_count = 1;
    hello.tasks[0].argument_count = protocol::max_arguments;
    std::memset(hello.tasks[0].task, 'x', sizeof hello.tasks[0].task);  // without an end
    const std::string good = message(protocol::Kind::hello, hello);
    const auto read = read_hello(bytes(good));
    REQUIRE(read.ok());
    CHECK(std::string(read->tasks[0].task) == std::string(sizeof hello.tasks[0].task - 1, 'x'));

    CHECK(refusal(read_hello(bytes(good.substr(0, 3)))) == "short message");
    CHECK(refusal(read_hello(bytes(good.substr(0, 300)))) == "bad header");
    CHECK(refusal(read_hello(bytes(message(protocol::Kind::reply, hello)))) == "no greeting");
    hello.tasks[0].argument_count = protocol::max_arguments + 1;
    CHECK(refusal(read_hello(bytes(message(protocol::Kind::hello, hello)))) ==
          "too many parameters");
    hello.task_count = protocol::max_tasks + 1;
    CHECK(refusal(read_hello(bytes(message(protocol::Kind::hello, hello)))) == "too many tasks");
}

TEST_CASE("a reply has as many values as it says, a status that there is, and text to be shown") {
    protocol::Reply reply;
    reply.value_count = 2;
    std::strcpy(reply.text, "\x1b[31mred");
    const auto read =
        read_reply(bytes(message(protocol::Kind::reply, reply, std::string(16, '\1'))));
    REQUIRE(read.ok());
    CHECK(read->values == std::vector<std::uint64_t>(2, 0x0101010101010101));
    CHECK(std::string(read->head.text) == "\\x1b[31mred");

    CHECK(refusal(read_reply(bytes(message(protocol::Kind::reply, reply, std::string(8, '\1'))))) ==
          "bad length");
    reply.value_count = 0xFFFFFFFF;
    CHECK(refusal(read_reply(bytes(message(protocol::Kind::reply, reply)))) == "bad length");
    CHECK(refusal(read_reply(bytes(message(protocol::Kind::hello, reply)))) == "no reply");
    reply.value_count = 0;
    reply.status = static_cast<protocol::CallStatus>(4);
    CHECK(refusal(read_reply(bytes(message(protocol::Kind::reply, reply)))) == "unknown status");
}
