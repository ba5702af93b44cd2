// What an observer knows of each block of a launch.
#pragma once

#include <memory>
#include <unordered_map>

namespace cugrade::emulator {

struct Block;

/// A state for each block, made when it is first asked for. Observers ask for the same block many
/// times in a row, so the last one is found without a search. Addresses of states stay as they are.
template <class State>
class ByBlock {
public:
    State& operator[](const Block* block) {
        if (block != last_block_) {
            last_block_ = block;
            std::unique_ptr<State>& state = states_[block];
            if (state == nullptr) state = std::make_unique<State>();
            last_state_ = state.get();
        }
        return *last_state_;
    }

    void clear() {
        states_.clear();
        last_block_ = nullptr;
    }

private:
    std::unordered_map<const Block*, std::unique_ptr<State>> states_;
    const Block* last_block_ = nullptr;
    State* last_state_ = nullptr;
};

}  // namespace cugrade::emulator
