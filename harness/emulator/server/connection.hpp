// One end of a socket of the emulator: never blocks, holds at most one request and one reply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/emulator_protocol.hpp"

namespace cugrade::emulator {

/// A reply before it is sent. The payload is kept apart from the head, so a read of device memory
/// is not copied twice.
struct Answer {
    protocol::Reply head;
    std::vector<std::byte> payload;
    int descriptor = -1;  ///< sent with the reply, then closed

    /// Precondition: `error` is not 0.
    static Answer failed(std::uint32_t error, std::string_view text);
    template <class T>
    void append(const T& record) {
        append_bytes(&record, sizeof record);
    }
    void append_text(std::string_view text) { append_bytes(text.data(), text.size()); }

private:
    void append_bytes(const void* from, std::size_t bytes) {
        const std::size_t at = payload.size();
        payload.resize(at + bytes);
        if (bytes > 0) std::memcpy(payload.data() + at, from, bytes);
    }
};

class Connection {
public:
    /// Takes the descriptor. A request with more than `max_payload` bytes ends the connection.
    Connection(int fd, std::uint32_t max_payload) : fd_(fd), max_payload_(max_payload) {}
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    enum class Progress { incomplete, request, closed };
    /// Reads the bytes that have arrived. Returns `closed`, too, if the peer breaks the protocol.
    [[nodiscard]] Progress receive();
    [[nodiscard]] const protocol::Request& request() const { return request_; }
    [[nodiscard]] std::span<const std::byte> payload() const {
        return {payload_.data(), request_.payload};
    }
    /// The descriptor that came with the request, or -1; the caller owns it.
    [[nodiscard]] int take_descriptor();

    void answer(Answer);
    [[nodiscard]] bool sending() const {
        return sent_ < sizeof reply_.head + reply_.payload.size();
    }
    /// Sends what the socket takes; false if the peer is gone.
    [[nodiscard]] bool send();

    [[nodiscard]] int fd() const { return fd_; }

private:
    int fd_;
    std::uint32_t max_payload_;
    protocol::Request request_;
    std::vector<std::byte> payload_;
    std::size_t received_ = 0;  ///< of the request and its payload
    int descriptor_ = -1;
    Answer reply_;
    std::size_t sent_ = sizeof(protocol::Reply);  ///< nothing to send
};

}  // namespace cugrade::emulator
