// The grader's end of the socket to an emulator process: one request, one reply, in lockstep. The
// other end runs hostile PTX, so it is waited for until a deadline, and nothing that it states as a
// length is more than was asked for.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "process/descriptor.hpp"
#include "protocol/emulator_protocol.hpp"

namespace cugrade::emulator {

class Connection {
public:
    /// `answer_s`: how long a request and its reply may take together.
    Connection(process::Descriptor socket, double answer_s)
        : socket_(std::move(socket)), answer_s_(answer_s) {}

    enum class Broke {
        closed,         ///< the other end is gone
        late,           ///< no reply within answer_s()
        other_version,  ///< it speaks another protocol
        too_much,       ///< it states more bytes than were asked for
    };
    struct Answer {
        std::optional<Broke> broke;  ///< then the connection is of no more use
        protocol::Reply reply;
        std::string refusal;  ///< the text of an error; the connection goes on
    };
    /// The reply's payload goes to `into`; one that does not fit breaks the connection. A
    /// descriptor from 0 on travels along.
    [[nodiscard]] Answer ask(protocol::Request request, std::span<const std::byte> payload,
                             std::span<std::byte> into, int descriptor);

    /// Asks for pieces of a text until it is whole, which the reply's `value` says. One that states
    /// more than `most` bytes breaks the connection.
    [[nodiscard]] Answer ask_all(protocol::Request request, std::uint64_t most, std::string& text);

    [[nodiscard]] double answer_s() const { return answer_s_; }
    void set_answer_s(double seconds) { answer_s_ = seconds; }

private:
    using Time = std::chrono::steady_clock::time_point;
    /// Nothing: done.
    std::optional<Broke> send(const protocol::Request&, std::span<const std::byte> payload,
                              int descriptor, Time end);
    std::optional<Broke> receive(void* to, std::size_t bytes, Time end);
    std::optional<Broke> wait(short events, Time end);

    process::Descriptor socket_;
    double answer_s_;
};

}  // namespace cugrade::emulator
