// Helpers for the files that implement Device: the text of a request, and plain answers.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/error.hpp"
#include "emulator/server/connection.hpp"

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

}  // namespace cugrade::emulator
