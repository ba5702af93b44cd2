#pragma once

#include <algorithm>
#include <vector>

#include "backend/session.hpp"

/// A session with buffers in the test's memory and every function. What a call does is the test's.
class BufferSession : public cugrade::Session {
public:
    cugrade::Result<bool> has_function(const cugrade::TaskSpec&) override { return true; }
    cugrade::Result<cugrade::BufferId> allocate(const std::string&, std::size_t bytes) override {
        buffers_.emplace_back(bytes);
        return buffers_.size() - 1;
    }
    cugrade::Status write(cugrade::BufferId id, std::span<const std::byte> from) override {
        buffers_[id].assign(from.begin(), from.end());
        return cugrade::Done{};
    }
    cugrade::Status read(cugrade::BufferId id, std::size_t offset,
                         std::span<std::byte> to) override {
        std::ranges::copy(std::span(buffers_[id]).subspan(offset, to.size()), to.begin());
        return cugrade::Done{};
    }
    cugrade::Status clear() override {
        buffers_.clear();
        return cugrade::Done{};
    }

protected:
    std::vector<std::vector<std::byte>> buffers_;  ///< by their ids
};
