// Helpers for the files that implement Device: the text of a request, and plain answers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/error.hpp"
#include "emulator/server/connection.hpp"
#include "emulator/state/cuda_error.hpp"

namespace cugrade::emulator {

inline std::string_view text_of(std::span<const std::byte> payload) {
    return {reinterpret_cast<const char*>(payload.data()), payload.size()};
}

inline Answer ok(std::uint64_t value = 0, std::uint64_t value2 = 0) {
    Answer a;
    a.head.value = value;
    a.head.value2 = value2;
    return a;
}

inline Answer answer(const Status& status, std::uint32_t error) {
    return status ? ok() : Answer::failed(error, status.error().message);
}

/// The piece of a text that a request asks for: `bytes` from `address` on.
inline Answer piece_of(std::string_view text, const protocol::Request& r) {
    if (r.address > text.size() || r.bytes > protocol::max_piece)
        return Answer::failed(cudaErrorInvalidValue, "not a piece of the text");
    Answer a = ok(text.size());
    a.append_text(text.substr(r.address, r.bytes));
    return a;
}

}  // namespace cugrade::emulator
